import { describe, expect, it } from "vitest";
import type { z } from "zod";
import type { CallContext } from "../../src/rpc/method.ts";
import { sessionList } from "../../src/rpc/methods/session-list.ts";
import { refused, TENANT, TestManager } from "../support/manager.ts";

interface Listed {
  total: number | null;
  sessions: { session_id: string; agent?: string; closed?: boolean; closed_at?: number | null }[];
  next_cursor: string | null;
}

class List {
  readonly host = new TestManager();
  readonly #method = sessionList(this.host.manager);

  async open(id: string, more: object = {}, tenant = TENANT): Promise<void> {
    await this.host.call("session.open", { session_id: id, ...more }, tenant);
    this.host.clock.advance(1_000);
  }

  async close(id: string, more: object = {}, tenant = TENANT): Promise<void> {
    await this.open(id, more, tenant);
    await this.host.call("session.close", { session_id: id }, tenant);
  }

  async read(params: object = {}, tenant = TENANT): Promise<Listed> {
    const context = { principal: { tenant } } as CallContext;
    const parsed = (this.#method.params as z.ZodType).parse({ sort: "session_id", ...params });
    const answer = (await this.#method.call(context, parsed)) as Listed;
    expect(this.#method.result.parse(answer)).toEqual(answer);
    return answer;
  }

  /** The ids of all pages, page by page. */
  async pages(params: object, limit: number): Promise<string[][]> {
    const pages: string[][] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const answer: Listed = await this.read({ ...params, limit, ...(cursor === undefined ? {} : { cursor }) });
      pages.push(answer.sessions.map(({ session_id }) => session_id));
      cursor = answer.next_cursor;
    }
    return pages;
  }
}

describe("session.list", () => {
  it("lists the open sessions unless it is asked for others", async () => {
    const list = new List();
    await list.open("b");
    await list.open("a");
    await list.close("gone");
    expect(await list.read({ fields: [] })).toEqual({
      total: 2,
      sessions: [{ session_id: "a" }, { session_id: "b" }],
      next_cursor: null,
    });
  });

  it("lists the closed ones, the one that closed last first, with when that was", async () => {
    const list = new List();
    await list.open("open");
    for (const id of ["a", "c", "b"]) await list.close(id);
    const { total, sessions } = await list.read({ state: "closed" });
    expect(sessions.map(({ session_id }) => session_id)).toEqual(["b", "c", "a"]);
    expect(sessions[0]).toMatchObject({ closed: true, closed_at: list.host.clock.now() });
    expect(total).toBe(3);
  });

  it("pages on without a gap or a repetition while more sessions close", async () => {
    const list = new List();
    for (const id of ["a", "b", "c", "d"]) await list.close(id);
    const first = await list.read({ state: "closed", limit: 2, fields: [] });
    await list.close("late");
    const second = await list.read({ state: "closed", limit: 2, fields: [], cursor: String(first.next_cursor) });
    const ids = [...first.sessions, ...second.sessions].map(({ session_id }) => session_id);
    expect(ids).toEqual(["d", "c", "b", "a"]);
  });

  it("lists all: the open ones in their order, then the closed ones, each once, whatever the page", async () => {
    const list = new List();
    for (const id of ["o2", "o1", "o3"]) await list.open(id);
    for (const id of ["c1", "c2", "c3"]) await list.close(id);
    for (const limit of [1, 2, 3, 4, 6, 10]) {
      const pages = await list.pages({ state: "all", fields: [] }, limit);
      expect(pages.flat()).toEqual(["o1", "o2", "o3", "c3", "c2", "c1"]);
    }
    expect((await list.read({ state: "all" })).total).toBe(6);
  });

  it("chooses among the closed ones as among the open ones, and then does not count them", async () => {
    const list = new List();
    await list.close("fix-1", { agent: "fixer" });
    await list.close("write-1", { agent: "writer", model: "gpt-4o" });
    await list.close("fix-2", { agent: "fixer", model: "gpt-4o" });
    const ids = async (params: object) => {
      const { sessions, total } = await list.read({ state: "closed", ...params });
      expect(total).toBeNull();
      return sessions.map(({ session_id }) => session_id);
    };
    expect(await ids({ agent: "fixer" })).toEqual(["fix-2", "fix-1"]);
    expect(await ids({ model: "gpt-4o" })).toEqual(["fix-2", "write-1"]);
    expect(await ids({ search: "FIX" })).toEqual(["fix-2", "fix-1"]);
    expect(await ids({ profile: "default" })).toEqual([]);
    expect(await ids({ zone: ["red"] })).toEqual([]);
  });

  it("shows a tenant its own closed sessions only", async () => {
    const list = new List();
    await list.close("ours");
    await list.close("theirs", {}, "globex");
    expect(await list.read({ state: "closed", fields: [] })).toMatchObject({
      total: 1,
      sessions: [{ session_id: "ours" }],
    });
    expect(await list.read({ state: "all", fields: [] }, "nobody")).toMatchObject({ total: 0, sessions: [] });
  });

  it("refuses the cursor of another state, and what is no cursor", async () => {
    const list = new List();
    const cases = [
      { cursor: "c4" },
      { state: "closed", cursor: "4" },
      { state: "all", cursor: "d4" },
      { state: "closed", cursor: "c-4" },
      { state: "closed", cursor: `c${"9".repeat(16)}` },
    ];
    for (const params of cases) {
      await refused(list.read(params), "invalid_params");
    }
  });
});
