import { describe, expect, it } from "vitest";
import { ContextdError } from "../../src/model/errors.ts";
import type { JsonObject } from "../../src/model/json.ts";
import type { AppendRequest } from "../../src/store/journal.ts";
import { MemoryJournal } from "../../src/store/memory/memory-journal.ts";
import { configWith } from "../config/config-with.ts";
import { type ManagerOptions, type Params, refused, TestManager } from "../support/manager.ts";
import { prose, wire } from "../support/wire-messages.ts";

const session = { session_id: "p" };
const child = { session_id: "p/d1" };
const SUBTASK = {
  title: "find the flag",
  goal: "Find where the flag is read.",
  success_criteria: ["The line is named."],
};

/** A parent session with a task, whose child may recall. */
async function parent(options: ManagerOptions = {}): Promise<TestManager> {
  const host = new TestManager(options);
  await host.call("session.open", {
    ...session,
    agent: "builder",
    model: "gpt-4o",
    max_context_tokens: 40_000,
    can_recall: true,
    task: { goal: "Mend the parser.", constraints: ["Never touch  the tests.", "Keep Node 20."] },
  });
  await host.call("on_turn_start", { ...session, messages: [wire.openai.user("Mend the parser.")] });
  return host;
}

async function childWorks(host: TestManager, tokens: number, id = child): Promise<void> {
  await host.call("on_turn_start", { ...id, messages: [wire.openai.user(prose(tokens, "work"))] });
  await host.call("on_turn_end", { ...id, message: wire.openai.answer("Found.") });
}

/** Fails to store anything of one session, as often as it is told to. */
class FailingJournal extends MemoryJournal {
  failures = 0;
  readonly #id: string;

  constructor(id: string) {
    super();
    this.#id = id;
  }

  override async append(request: AppendRequest) {
    if (request.key.id === this.#id && this.failures-- > 0) throw new ContextdError("storage_unavailable", "No disk.");
    return super.append(request);
  }
}

describe("a delegation", () => {
  it("opens a session of its own for the child, with the parent's rules word for word", async () => {
    const host = await parent();
    const opened = await host.call("delegation.open", {
      ...session,
      ...SUBTASK,
      constraints: ["Read only.", "Keep Node 20."],
      files: ["src/flags.ts"],
      child: { system: "You search.", tools: [wire.openai.tool("recall")] },
    });
    const link = { session_id: "p", delegation_id: "d1", depth: 1, budget_tokens: 20_000 };
    expect(opened).toMatchObject({
      delegation_id: "d1",
      child_session_id: "p/d1",
      budget: {
        parent: { max_tokens: 40_000, delegated_tokens: 20_000, result_max_tokens: 2000 },
        child: { budget_tokens: 20_000, max_tokens: 40_000 },
      },
      task: {
        goal: SUBTASK.goal,
        success_criteria: SUBTASK.success_criteria,
        constraints: ["Never touch  the tests.", "Keep Node 20.", "Read only."],
        files: ["src/flags.ts"],
        report_max_tokens: 2000,
      },
      labels: { agent: "builder", profile: "default-128k", model: "gpt-4o", message_format: "openai", parent: link },
      child: { session_id: "p/d1", resumed: false, max_context_tokens: 40_000 },
    });
    for (const part of [SUBTASK.goal, "Never touch  the tests.", "src/flags.ts", "at most 2000 tokens"]) {
      expect(opened.task.prompt).toContain(part);
    }
    expect(await host.call("session.get", child)).toMatchObject({
      parent: link,
      agent: "builder",
      task: { goal: SUBTASK.goal, constraints: ["Never touch  the tests.", "Keep Node 20.", "Read only."] },
    });
    expect(host.live("p/d1").canRecall).toBe(true);
    expect(host.live("p").parent).toBeNull();
    expect(host.published("delegation.opened")).toMatchObject([{ delegation_id: "d1", depth: 1, turn: 1 }]);
  });

  it("takes budget, id, agent, model, format and window as they are given", async () => {
    const host = await parent();
    const opened = await host.call("delegation.open", {
      ...session,
      ...SUBTASK,
      budget_tokens: 9_000,
      child_session_id: "searcher",
      child: { agent: "searcher", profile: "local-8k", model: "claude-sonnet-4", message_format: "anthropic" },
    });
    // Another model has a window of its own.
    expect(opened.budget.child).toEqual({ budget_tokens: 9_000, max_tokens: null });
    const { labels } = opened;
    expect(labels).toMatchObject({ agent: "searcher", profile: "local-8k", model: "claude-sonnet-4" });
    expect(await host.call("session.get", { session_id: "searcher" })).toMatchObject({
      agent: "searcher",
      profile: "local-8k",
      message_format: "anthropic",
      parent: { session_id: "p", budget_tokens: 9_000 },
    });
  });

  it("gives back a short result as it is, and tells what it saved", async () => {
    const host = await parent();
    await host.call("delegation.open", { ...session, ...SUBTASK });
    await childWorks(host, 5_000);
    const used = (await host.call("session.get", child)).tokens_arrived;
    expect(used).toBeGreaterThan(5_000);
    const closed = await host.call("delegation.close", {
      ...session,
      delegation_id: "d1",
      result: "In src/flags.ts, line 12.",
    });
    expect(closed).toMatchObject({
      status: "done",
      result: "In src/flags.ts, line 12.",
      child: { session_id: "p/d1", tokens_used: used, turns: 1 },
    });
    expect(closed.tokens_after).toBe(closed.tokens_before);
    expect(closed.ratio).toBe(used / closed.tokens_after);
    expect(host.published("delegation.closed")).toMatchObject([
      { child_tokens: used, ratio: closed.ratio, status: "done" },
    ]);
    expect(host.published("session.closed")).toMatchObject([{ reason: "delegation done", turns: 1 }]);
    await refused(host.call("on_turn_start", child), "session_closed");
  });

  it("cuts a long result to head and tail, and keeps it whole behind its handle", async () => {
    const host = await parent();
    await host.call("delegation.open", { ...session, ...SUBTASK });
    const result = `first\n${prose(30_000, "finding")}\n\ttrailing \u0000 and \ud83d\ude00 last`;
    const closed = await host.call("delegation.close", { ...session, delegation_id: "d1", result });
    expect(closed.tokens_before).toBeGreaterThan(25_000);
    expect(closed.tokens_after).toBeLessThanOrEqual(2000);
    expect(closed.tokens_after).toBeGreaterThan(1500);
    expect(closed.result.startsWith("first\n")).toBe(true);
    expect(closed.result.endsWith("last")).toBe(true);
    expect(closed.result).toMatch(/\[… [\d,]+ lines \([\d,]+ tokens\) left out; recall h-[0-9a-f]{12} …\]/);
    const recall = { ...session, handle: closed.handle };
    expect(await host.call("content.recall", recall)).toMatchObject({ content: result, type: "delegation_result" });
    const later = await host.restarted();
    expect((await later.call("content.recall", recall)).content).toBe(result);
  });

  it("ends without a result, and without a child that was ever there", async () => {
    const host = await parent({ journal: new FailingJournal("p/d1") });
    (host.journal as FailingJournal).failures = 1;
    await refused(host.call("delegation.open", { ...session, ...SUBTASK }), "storage_unavailable");
    const closed = await host.call("delegation.close", { ...session, delegation_id: "d1", status: "cancelled" });
    expect(closed).toMatchObject({
      status: "cancelled",
      result: "",
      handle: null,
      tokens_after: 0,
      child: null,
      ratio: null,
    });
  });

  it("ends when the agent has closed the child before, with its figures", async () => {
    const host = await parent();
    await host.call("delegation.open", { ...session, ...SUBTASK });
    await childWorks(host, 500);
    await host.call("session.close", child);
    const closed = await host.call("delegation.close", {
      ...session,
      delegation_id: "d1",
      result: "Done.",
      status: "failed",
    });
    expect(closed).toMatchObject({ status: "failed", child: { turns: 1 } });
    expect(host.published("session.closed")).toHaveLength(1);
  });

  it("leaves a session alone that is not its child", async () => {
    const journal = new FailingJournal("other");
    const host = await parent({ journal });
    journal.failures = 1;
    await refused(
      host.call("delegation.open", { ...session, ...SUBTASK, child_session_id: "other" }),
      "storage_unavailable",
    );
    await host.call("session.open", { session_id: "other" });
    expect(await host.call("delegation.close", { ...session, delegation_id: "d1" })).toMatchObject({ child: null });
    expect(await host.call("session.get", { session_id: "other" })).toMatchObject({ closed: false, parent: null });
  });
});

describe("a delegation that is asked for again", () => {
  const keyed = { ...session, ...SUBTASK, idempotency_key: "k1" };

  it("is the same one, with one child", async () => {
    const host = await parent();
    const first = await host.call("delegation.open", keyed);
    await childWorks(host, 100);
    expect(await host.call("delegation.open", keyed)).toEqual(first);
    await refused(host.call("delegation.open", { ...keyed, title: "another" }), "idempotency_conflict");
    expect(host.published("delegation.opened")).toHaveLength(1);
    expect(host.published("session.opened")).toHaveLength(2);
    const close = { ...session, delegation_id: "d1", result: "Found.", idempotency_key: "k2" };
    const closed = await host.call("delegation.close", close);
    expect(await host.call("delegation.close", close)).toEqual(closed);
    // Also when the child is long gone.
    expect(await host.call("delegation.open", keyed)).toEqual(first);
    expect(host.published("session.closed")).toHaveLength(1);
  });

  for (const restarts of [false, true]) {
    it(`completes what was left undone between the two sessions${restarts ? ", after a restart" : ""}`, async () => {
      const journal = new FailingJournal("p/d1");
      let host = await parent({ journal });
      journal.failures = 1;
      await refused(host.call("delegation.open", keyed), "storage_unavailable");
      expect(host.manager.summary({ tenant: "acme", id: "p/d1" })).toBeNull();
      if (restarts) host = await host.restarted();
      expect(await host.call("delegation.open", keyed)).toMatchObject({
        delegation_id: "d1",
        child: { resumed: false },
      });
      await childWorks(host, 100);
      const close = { ...session, delegation_id: "d1", result: "Found.", idempotency_key: "k2" };
      journal.failures = 1;
      await refused(host.call("delegation.close", close), "storage_unavailable");
      if (restarts) host = await host.restarted();
      expect((await host.call("session.get", child)).closed).toBe(false);
      expect(await host.call("delegation.close", close)).toMatchObject({ status: "done", child: { turns: 1 } });
      expect(host.manager.summary({ tenant: "acme", id: "p/d1" })).toBeNull();
      await refused(host.call("on_turn_start", child), "session_closed");
    });
  }

  it("does not wait for itself when sessions delegate to one another at once", async () => {
    const host = await parent();
    await host.call("session.open", { session_id: "q" });
    const open = (from: string, to: string) =>
      host.call("delegation.open", { session_id: from, ...SUBTASK, child_session_id: to }).then(
        () => "opened",
        (error: ContextdError) => error.reason,
      );
    const answers = await Promise.all([open("p", "q"), open("q", "p"), open("p", "p"), open("p", "x"), open("q", "x")]);
    expect(answers.slice(0, 3)).toEqual(["session_exists", "session_exists", "session_exists"]);
    expect(answers.slice(3).sort()).toEqual(["opened", "session_exists"]);
  });
});

describe("a session that delegates", () => {
  it("has no more open ones than it may, and closes to open another", async () => {
    const host = await parent({ config: configWith({ delegation: { max_open: 2 } }) });
    const open = () => host.call("delegation.open", { ...session, ...SUBTASK });
    await open();
    await open();
    const error = await refused(open(), "budget_exceeded");
    expect(error.message).toContain("delegation.max_open is 2");
    expect(host.published("delegation.opened")).toHaveLength(2);
    await host.call("delegation.close", { ...session, delegation_id: "d1" });
    expect(await open()).toMatchObject({ delegation_id: "d3" });
  });

  it("has children that delegate, down to a depth", async () => {
    const host = await parent();
    let id = "p";
    for (const depth of [1, 2, 3]) {
      const opened = await host.call("delegation.open", { session_id: id, ...SUBTASK });
      expect(opened.labels.parent).toMatchObject({ session_id: id, depth });
      id = opened.child_session_id;
    }
    expect(id).toBe("p/d1/d1/d1");
    const error = await refused(host.call("delegation.open", { session_id: id, ...SUBTASK }), "budget_exceeded");
    expect(error.data).toEqual({ depth: 4, max_depth: 3 });
  });

  it("sees what it has handed out, and a child over its budget is told", async () => {
    const host = await parent();
    await host.call("delegation.open", { ...session, ...SUBTASK, budget_tokens: 1_000 });
    await host.call("delegation.open", { ...session, ...SUBTASK, budget_tokens: 500 });
    expect((await host.call("budget.report", session)).delegated).toEqual({
      open: 2,
      budget_tokens: 1_500,
      result_tokens: 4_000,
    });
    expect((await host.call("session.get", session))["delegations"]).toMatchObject([
      { delegation_id: "d1", child_session_id: "p/d1", title: SUBTASK.title, status: "open", handle: null },
      { delegation_id: "d2", status: "open" },
    ]);
    await childWorks(host, 800);
    expect((await host.call("on_turn_start", child)).advice).toEqual([]);
    await host.call("on_turn_end", { ...child, message: wire.openai.answer(prose(400, "thought")) });
    const { advice } = await host.call("on_turn_start", child);
    expect(advice).toMatchObject([{ kind: "delegation_budget", budget_tokens: 1_000 }]);
  });

  it("is the same after a restart", async () => {
    const host = await parent({ snapshotEvery: 1 });
    await host.call("delegation.open", { ...session, ...SUBTASK });
    await host.call("delegation.open", { ...session, ...SUBTASK });
    await host.call("delegation.close", { ...session, delegation_id: "d1", result: "Found." });
    for (const id of ["p", "p/d2"]) {
      await host.call("session.get", { session_id: id });
      const { delegations, parent: link, tokensArrived } = await host.session(id);
      const live = host.live(id);
      expect({ delegations, link, tokensArrived }).toEqual({
        delegations: live.delegations,
        link: live.parent,
        tokensArrived: live.tokensArrived,
      });
    }
    const later = await host.restarted();
    await later.call("delegation.close", { ...session, delegation_id: "d2", result: "Found too." });
    expect(later.published("session.closed")).toHaveLength(1);
  });

  const wrong: [string, Params, string | null][] = [
    ["a delegation that it never had", { delegation_id: "d9" }, "has no delegation of that id; it has none open"],
    ["one that is closed", { delegation_id: "d1" }, "is closed already; it has none open"],
  ];
  it.each(wrong)("is refused the end of %s, with what there is", async (_name, params, sentence) => {
    const host = await parent();
    await host.call("delegation.open", { ...session, ...SUBTASK });
    await host.call("delegation.close", { ...session, delegation_id: "d1" });
    const error = await refused(host.call("delegation.close", { ...session, ...params }), "invalid_params");
    expect(error.message).toContain(sentence);
    expect(error.data).toEqual({ path: "delegation_id" });
  });

  const unfit: [string, JsonObject, string][] = [
    ["a profile that there is not", { profile: "nobodys" }, "child.profile"],
    ["a system prompt that is none", { system: 12 }, "child.system"],
    ["a tool without a name", { tools: [{}] }, "child.tools[0].function.name"],
  ];
  it.each(unfit)("is refused %s before anything is opened", async (_name, given, path) => {
    const host = await parent();
    const error = await refused(
      host.call("delegation.open", { ...session, ...SUBTASK, child: given }),
      "invalid_params",
    );
    expect(error.data["path"]).toBe(path);
    expect(host.live("p").delegations).toEqual({});
  });

  it("is refused a child of an id that is taken, also by a closed session", async () => {
    const host = await parent();
    await host.call("session.open", { session_id: "old" });
    await host.call("session.close", { session_id: "old" });
    for (const child_session_id of ["old", "p"]) {
      await refused(host.call("delegation.open", { ...session, ...SUBTASK, child_session_id }), "session_exists");
    }
  });

  it("may have the id of another tenant's session, of which it learns nothing", async () => {
    const host = await parent();
    await host.call("session.open", { session_id: "p/d1" }, "rival");
    await host.call("delegation.open", { ...session, ...SUBTASK });
    await host.call("delegation.close", { ...session, delegation_id: "d1" });
    expect(await host.call("session.get", { session_id: "p/d1" }, "rival")).toMatchObject({
      closed: false,
      parent: null,
    });
  });
});
