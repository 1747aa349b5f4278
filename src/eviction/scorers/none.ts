import { z } from "zod";
import { strategy } from "../../model/strategy.ts";
import type { Scorer } from "../scorer.ts";

export const none = strategy(
  "Never edits: the bound that every policy is compared with.",
  z.strictObject({}),
  (): Scorer => ({
    name: "none",
    actions: [],
    depth: "target",
    score: () => ({ score: 1, parts: { none: 1 }, rule: "none.keep" }),
  }),
);
