import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { type Config, ConfigHolder, loadConfig, resolveSettings } from "../../src/config/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { configWith, schemas } from "./config-with.ts";

describe("a reload", () => {
  test("goes from good to bad to good, and only the good ones take effect", async () => {
    using folder = temporaryFolder();
    const file = folder.write("c.yaml", "eviction: {policy: lru}\n");
    const load = () => loadConfig({ file, environment: {}, flags: [] }, schemas);
    const holder = new ConfigHolder(load(), load);
    const seen: string[] = [];
    holder.onChange((config, previous) => seen.push(`${previous.eviction.policy} to ${config.eviction.policy}`));

    writeFileSync(file, "eviction: {policy: lur}\n");
    const bad = await holder.reload();
    expect(bad).toMatchObject({ successful: false, changed: [] });
    expect(bad.detail).toMatch(/c.yaml:1:12: eviction.policy must be/);
    expect(holder.current.eviction.policy).toBe("lru");

    writeFileSync(file, "eviction: {policy: fifo}\n");
    expect(await holder.reload()).toEqual({
      successful: true,
      detail: "in effect: eviction.policy",
      changed: ["eviction.policy"],
      restart: [],
    });
    expect(seen).toEqual(["lru to fifo"]);
    expect(resolveSettings(holder.current, "million").eviction.policy).toBe("fifo");
  });

  test("names what waits for a restart and keeps it as it is", async () => {
    const next = configWith({ "server.port": 1, "store.path": "elsewhere", "telemetry.log.level": "debug" });
    const holder = new ConfigHolder(configWith(), () => next);
    const result = await holder.reload();
    expect(result).toMatchObject({
      successful: true,
      changed: ["telemetry.log.level"],
      restart: ["server.port", "store.path"],
      detail: "in effect: telemetry.log.level; waiting for a restart: server.port, store.path",
    });
    expect(holder.current).toMatchObject({ server: { port: 7420 }, store: { path: "./data" } });
    expect(holder.current.telemetry.log.level).toBe("debug");
    expect(Object.isFrozen(holder.current.telemetry)).toBe(true);
  });

  test("cannot open the door while running: access waits for a restart as a whole", async () => {
    const closed = configWith({ "server.host": "0.0.0.0", "server.auth.tokens_file": "t.yaml" });
    const holder = new ConfigHolder(closed, () => configWith());
    await holder.reload();
    expect(holder.current.server).toEqual(closed.server);
  });

  test("that changes nothing tells nobody", async () => {
    const initial = configWith();
    const holder = new ConfigHolder(initial, () => configWith());
    holder.onChange(() => expect.unreachable());
    expect(await holder.reload()).toMatchObject({ successful: true, detail: "nothing changed" });
    expect(holder.current).toBe(initial);
  });

  test("that a listener cannot take is taken back from all of them", async () => {
    const holder = new ConfigHolder(configWith(), () => configWith({ "eviction.policy": "lru" }));
    const policies: string[] = [];
    holder.onChange((config) => policies.push(config.eviction.policy));
    holder.onChange((config) => {
      if (config.eviction.policy === "lru") throw new Error("no");
    });
    expect(await holder.reload()).toMatchObject({ successful: false, changed: [] });
    expect(policies).toEqual(["lru", "fifo"]);
    expect(holder.current.eviction.policy).toBe("fifo");
  });

  test("is not told to whom has left", async () => {
    const holder = new ConfigHolder(configWith(), () => configWith({ "eviction.policy": "lru" }));
    holder.onChange(() => expect.unreachable())();
    expect((await holder.reload()).successful).toBe(true);
  });

  test("in a storm reads the last state and runs one at a time", async () => {
    let reads = 0;
    let running = 0;
    const load = async (): Promise<Config> => {
      expect(++running).toBe(1);
      const config = configWith({ "eviction.keep_recent_units": ++reads });
      await Promise.resolve();
      running--;
      return config;
    };
    const holder = new ConfigHolder(configWith(), load);
    const results = await Promise.all(Array.from({ length: 50 }, () => holder.reload()));
    expect(results.every((result) => result.successful)).toBe(true);
    expect(reads).toBe(2);
    expect(holder.current.eviction.keep_recent_units).toBe(2);
    await holder.reload();
    expect(reads).toBe(3);
  });

  test("of a damaged file never throws, hangs or half-applies", async () => {
    using folder = temporaryFolder();
    const good =
      "server:\n  port: 1\neviction:\n  policy: lru\n  weights: {recency: 0.5}\nprofiles:\n  mine: {pressure: {thresholds: auto}}\n";
    const file = folder.write("c.yaml", good);
    const load = () => loadConfig({ file, environment: {}, flags: [] }, schemas);
    const holder = new ConfigHolder(load(), load);
    let random = 42;
    const below = (limit: number) => {
      random = (random * 1_103_515_245 + 12_345) % 2_147_483_648;
      return random % limit;
    };
    let refused = 0;
    for (let mutant = 0; mutant < 200; mutant++) {
      const at = below(good.length);
      const marks = ["", "\t", ":", "{", "]", "&a ", "*a ", "!x ", "\0", '"', "- ", "9", "\n", "é"];
      const text = good.slice(0, at) + marks[below(marks.length)] + good.slice(at + below(3));
      writeFileSync(file, mutant % 5 === 0 ? good.slice(0, at) : text);
      const before = holder.current;
      const result = await holder.reload();
      if (!result.successful) {
        refused++;
        expect(holder.current).toBe(before);
        expect(result.detail).toContain("c.yaml");
      }
    }
    expect(refused).toBeGreaterThan(100);
    writeFileSync(file, good);
    expect((await holder.reload()).successful).toBe(true);
    expect(holder.current.eviction.policy).toBe("lru");
  });
});
