import { describe, expect, it } from "vitest";
import { classifyRefusal, providers } from "../../src/window/overflow/index.ts";
import { recordedRefusals } from "../support/refusals.ts";

const proven = new Set(recordedRefusals.map(({ error }) => classifyRefusal(error).rule));

it("no two providers, and no two rules, have one name", () => {
  const names = providers.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  const rules = providers.flatMap((provider) => provider.rules.map(({ name }) => name));
  expect(new Set(rules).size).toBe(rules.length);
});

describe.each(providers.map((provider) => [provider.name, provider] as const))("the provider %s", (name, provider) => {
  it("says what it is, and gives its rules names that fit a metric's label", () => {
    expect(name).toMatch(/^[a-z][a-z_]*$/);
    expect(provider.summary).toMatch(/^\S.*\.$/);
    for (const rule of provider.rules) expect(rule.name).toMatch(new RegExp(`^${name}\\.[a-z_]+$`));
  });

  it("has a recorded refusal for each rule, or hints by which it is told from others", () => {
    expect(provider.rules.length + provider.hints.length).toBeGreaterThan(0);
    for (const rule of provider.rules) if (rule.kind !== "other") expect(proven).toContain(rule.name);
  });

  it("finds every phrase in the words that it was written as", () => {
    for (const { phrases, name: rule } of provider.rules) {
      for (const { groups } of phrases) {
        const text = groups
          .map((steps) => steps.map(({ literal, hole }) => literal + (hole === null ? "" : "42")).join(""))
          .join(" and ");
        expect(classifyRefusal(text).kind, `${rule}: ${text}`).not.toBe("unknown");
      }
    }
  });
});
