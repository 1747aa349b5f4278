import { afterEach, describe, expect, it, vi } from "vitest";

// The page's modules are plain JavaScript for the browser; these have no need of one.
const load = (name: string) => import(new URL(`../../src/ui/static/${name}`, import.meta.url).href);
const { decisionMissing, departureOf, turnNamed, windowMissing } = await load("screens/session/read/named.js");
const { windowAsked } = await load("screens/session/read/chosen-window.js");
const { SessionReader } = await load("screens/session/read/session-reader.js");
const { shortened, visible } = await load("draw/names.js");

describe("what an address names", () => {
  it.each([
    ["-1", "Turn −1 is not of this session: it has 45."],
    ["0", "Turn 0 is not of this session: it has 45."],
    ["99999", "Turn 99,999 is not of this session: it has 45."],
    ["1.5", "Turn “1.5” is not of this session: it has 45."],
    ["nope", "Turn “nope” is not of this session: it has 45."],
  ])("is no turn of the session: %s", (asked, words) => {
    expect(turnNamed(asked, 45)).toEqual({ turn: null, missing: words });
  });

  it("is a turn that the session has had", () => {
    for (const turn of [1, 45]) expect(turnNamed(String(turn), 45)).toEqual({ turn, missing: null });
    expect(turnNamed(null, 45)).toEqual({ turn: null, missing: null });
  });

  it("is a window, or else the one that would be shown without it", () => {
    const windows = [{ number: 1 }, { number: 2 }];
    const trend = { windows, at: () => ({ window: 1 }) };
    expect(windowMissing("99", windows)).toBe("Window 99 is not of this session: it has 2 windows.");
    for (const asked of [null, "all", "2"]) expect(windowMissing(asked, windows)).toBeNull();
    expect([windowAsked("99", null, trend), windowAsked("99", 3, trend)]).toEqual([2, 1]);
    expect([windowAsked("1", null, trend), windowAsked("all", null, trend)]).toEqual([1, 0]);
  });

  it("is a block that left, with the pass that took it", () => {
    const evicted = { type: "block.evicted", data: { block_id: "b10" } };
    const decisions = [
      { turn: 3, passId: null, entries: [evicted] },
      { turn: 12, passId: "p4", entries: [evicted, { type: "ledger.rebuilt", data: {} }] },
    ];
    expect(departureOf("b10", decisions)).toEqual({ turn: 12, passId: "p4" });
    expect(departureOf("b11", decisions)).toBeNull();
  });

  it("is a decision, as far as they were read", () => {
    const decisions = [{ position: 50 }, { position: 70 }];
    expect(decisionMissing("70", decisions, false)).toBeNull();
    expect(decisionMissing("nope", decisions, true)).toBe("Decision “nope” is not of this session.");
    expect(decisionMissing("999999", decisions, true)).toBe("Decision 999,999 is not of this session.");
    expect(decisionMissing("7", decisions, false)).toContain("not among the latest 2 decisions");
  });
});

describe("a name", () => {
  it("that cannot be seen is told by its escapes", () => {
    expect(visible("\u200b\u2060")).toBe("\\u200b\\u2060");
    expect(visible("\u{e0020}")).toBe("\\u{e0020}");
    for (const name of ["a\u200b", "refund-batch", "名前"]) expect(visible(name)).toBe(name);
  });

  it("is cut where a long one has no place", () => {
    expect(shortened("a".repeat(4_096))).toBe(`${"a".repeat(79)}…`);
    expect(shortened("😀".repeat(5), 3)).toBe("😀😀…");
    expect(shortened("refund-batch")).toBe("refund-batch");
  });
});

describe("a session that cannot be read", () => {
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Whether it is told as gone, and how often its budget was asked for within 20 s of that answer. */
  async function told(reason: string, retryable: boolean): Promise<{ gone: boolean; asked: number }> {
    vi.useFakeTimers();
    const seen = { gone: false, asked: 0 };
    const call = async (method: string): Promise<never> => {
      if (method === "budget.report") seen.asked++;
      throw Object.assign(new Error("no"), { reason, retryable });
    };
    const on = { change() {}, gone: () => Object.assign(seen, { gone: true }) };
    const reader = new SessionReader({ call }, "s", on);
    await vi.advanceTimersByTimeAsync(20_000);
    reader.close();
    return seen;
  }

  it("is gone where the daemon refuses its name, as where it does not know it", async () => {
    expect(await told("invalid_params", false)).toEqual({ gone: true, asked: 1 });
    expect(await told("session_not_found", false)).toEqual({ gone: true, asked: 1 });
  });

  it("is asked for again by itself only where that may help", async () => {
    expect(await told("internal_error", false)).toEqual({ gone: false, asked: 1 });
    const { gone, asked } = await told("storage_unavailable", true);
    expect(gone).toBe(false);
    expect(asked).toBeGreaterThan(3);
  });
});
