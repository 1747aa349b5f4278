import { describe, expect, test } from "vitest";
import { CloseError, Closers, startOrRollBack } from "../src/closers.ts";

const newClosers = () => new Closers({ timeoutMs: 1000 });

/** A promise that never settles. */
const never = () => new Promise<void>(() => {});

describe("Closers", () => {
  test("closes the last opened first, one after the other", async () => {
    const order: string[] = [];
    const closers = newClosers();
    for (const name of ["store", "manager", "server"]) {
      closers.add(name, async () => {
        order.push(`${name} closes`);
        await Promise.resolve();
        order.push(`${name} closed`);
      });
    }
    await closers.close();
    const expected = ["server", "manager", "store"].flatMap((name) => [`${name} closes`, `${name} closed`]);
    expect(order).toEqual(expected);
  });

  test("closes once, however often it is asked", async () => {
    let closed = 0;
    const closers = newClosers();
    closers.add("a", () => void closed++);
    const first = closers.close();
    expect(closers.close()).toBe(first);
    await first;
    expect(closed).toBe(1);
  });

  test("goes on after a failure and reports all of them by name", async () => {
    const order: string[] = [];
    const closers = newClosers();
    closers.add("a", () => void order.push("a"));
    closers.add("b", () => Promise.reject(new Error("disk")));
    closers.add("c", () => {
      throw new Error("socket");
    });
    const error = await closers.close().catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AggregateError);
    expect((error as AggregateError).errors.map((part: CloseError) => part.closer)).toEqual(["c", "b"]);
    expect((error as AggregateError).errors[1].cause.message).toBe("disk");
    expect(order).toEqual(["a"]);
  });

  test("does not wait longer than a teardown's time", async () => {
    const closers = newClosers();
    let closed = false;
    closers.add("first", () => {
      closed = true;
    });
    closers.add("stuck", never, 5);
    await expect(closers.close()).rejects.toThrow("closing stuck took longer than 5 ms");
    expect(closed).toBe(true);
  });

  test("gives what was acquired and closes it", async () => {
    const closers = newClosers();
    const closed: number[] = [];
    expect(
      await closers.acquire(
        "a",
        () => 7,
        (opened) => void closed.push(opened),
      ),
    ).toBe(7);
    await closers.close();
    expect(closed).toEqual([7]);
  });

  test("does not register what failed to open", async () => {
    const closers = newClosers();
    const opening = closers.acquire(
      "a",
      () => Promise.reject(new Error("in use")),
      () => expect.unreachable(),
    );
    await expect(opening).rejects.toThrow("in use");
    await closers.close();
  });

  test("closes at once what was opened while everything closed", async () => {
    const closers = newClosers();
    const closed: string[] = [];
    let opened: (value: string) => void = () => {};
    const opening = closers.acquire(
      "late",
      () =>
        new Promise<string>((resolve) => {
          opened = resolve;
        }),
      (value) => void closed.push(value),
    );
    await closers.close();
    opened("late");
    await expect(opening).rejects.toThrow(CloseError);
    expect(closed).toEqual(["late"]);
    expect(() => closers.add("later", () => {})).toThrow(CloseError);
  });
});

describe("startOrRollBack", () => {
  test("leaves a good start open", async () => {
    const closers = newClosers();
    expect(await startOrRollBack(closers, async () => "up")).toBe("up");
    let closed = false;
    closers.add("a", () => {
      closed = true;
    });
    expect(closed).toBe(false);
    await closers.close();
  });

  test("closes what a failed start had opened, and throws the failure itself", async () => {
    const closed: string[] = [];
    const failure = new Error("port in use");
    const start = startOrRollBack(newClosers(), async (closers) => {
      closers.add("store", () => void closed.push("store"));
      closers.add("manager", () => void closed.push("manager"));
      throw failure;
    });
    await expect(start).rejects.toBe(failure);
    expect(closed).toEqual(["manager", "store"]);
  });

  test("puts the failure before those of its roll-back", async () => {
    const failure = new Error("port in use");
    const start = startOrRollBack(newClosers(), async (closers) => {
      closers.add("store", () => Promise.reject(new Error("disk")));
      throw failure;
    });
    const error = (await start.catch((thrown: unknown) => thrown)) as AggregateError;
    expect(error.message).toBe("port in use");
    expect(error.errors[0]).toBe(failure);
    expect(error.errors[1]).toBeInstanceOf(CloseError);
  });
});
