import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { contentHash } from "../../src/model/content-hash.ts";
import { genesis, nextChain, sessionSeal } from "../../src/store/chain.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");
const key = { tenant: "acme", id: "s1" };
const row = { sessionSeq: 1, at: 1000, hook: "on_turn_start", idempotencyKey: null, body: "[]" };

describe("the hash chain", () => {
  // Written out, since a changed formula would make every existing store read as damaged.
  it("is the documented formula", () => {
    const first = sha256('contextd journal 1\n["acme","s1",1000]');
    expect(genesis(key, 1000)).toBe(first);
    expect(nextChain(first, row, ["aa", "bb"])).toBe(sha256(`${first}\n[1,1000,"on_turn_start",null,"aa","bb"]\n[]`));
    const session = { key, createdAt: 1000, lastSessionSeq: 1, closed: false, summary: "{}" };
    expect(sessionSeal(first, session)).toBe(sha256(`${first}\n["acme","s1",1000,1,false]\n{}`));
  });

  it("changes with each field of a row", () => {
    const start = genesis(key, 1000);
    const variants = [
      nextChain(start, row, []),
      nextChain(genesis({ tenant: "acme/s1", id: "" }, 1000), row, []),
      nextChain(genesis(key, 1001), row, []),
      nextChain(start, { ...row, sessionSeq: 2 }, []),
      nextChain(start, { ...row, at: 1001 }, []),
      nextChain(start, { ...row, hook: "on_turn_end" }, []),
      nextChain(start, { ...row, idempotencyKey: "null" }, []),
      nextChain(start, { ...row, body: "[1]" }, []),
      nextChain(start, row, ["aa"]),
      nextChain(start, { ...row, hook: 'on_turn_start","aa' }, []),
    ];
    expect(new Set(variants).size).toBe(variants.length);
  });
});

describe("a content's hash", () => {
  it("is SHA-256 of its UTF-8", () => {
    expect(contentHash("ü")).toBe(sha256("ü"));
  });

  it("tells texts apart that become the same UTF-8", () => {
    expect(new Set(["\ud800", "\udbff", "\ufffd"].map(contentHash)).size).toBe(3);
  });
});
