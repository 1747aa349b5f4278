import { randomUUID } from "node:crypto";
import { z } from "zod";
import { ContextdError } from "../../model/errors.ts";
import type { EventData } from "../../model/events.ts";
import { PROBE_TYPES } from "../../model/probe.ts";
import type { SessionKey } from "../../model/session-key.ts";
import { askJudge, evaluateTexts } from "../fidelity-texts.ts";
import { readBody } from "../row.ts";
import { command, type Reader, sessionId } from "./command.ts";

/** Rows of the journal read at once, and at most. */
const PAGE = 500;
const MOST_ROWS = 20_000;
/** Characters of a text that is given. */
const LONGEST_TEXT = 2_000_000;

const ratio = z.number().min(0).max(1);
const byType = z.partialRecord(z.enum(PROBE_TYPES), ratio);
const curve = z.array(z.object({ age: z.number(), score: ratio, probes: z.number() }));

type Evaluated = EventData["fidelity.evaluated"];

/** Whether parameters are given that mean something only beside the texts to judge. */
function asksForTexts(params: {
  readonly compressed?: string | undefined;
  readonly goal?: string | undefined;
  readonly constraints: readonly string[];
  readonly judge: "lexical" | "llm";
}): boolean {
  const { compressed, goal, constraints, judge } = params;
  return compressed !== undefined || goal !== undefined || constraints.length > 0 || judge === "llm";
}

export const fidelityEvaluate = command({
  name: "fidelity.evaluate",
  summary: "How much of what was folded can still be told: of the session's passes so far, or of two texts.",
  scope: "agent",
  mutates: false,
  params: z
    .strictObject({
      session_id: sessionId,
      pass_id: z.string().max(64).optional().describe("Only this pass; none is listed where it was not judged."),
      limit: z.number().int().min(1).max(500).default(100).describe("Most judged passes listed, the latest."),
      original: z.string().max(LONGEST_TEXT).optional().describe("A text as it was: judged against `compressed`."),
      compressed: z.string().max(LONGEST_TEXT).optional().describe("What was made of `original`."),
      goal: z
        .string()
        .max(20_000)
        .optional()
        .describe("What the compressed text is to say of the goal; with `original`."),
      constraints: z
        .array(z.string().max(2_000))
        .max(100)
        .default([])
        .describe("Rules that the compressed text is to hold word for word; with `original`."),
      judge: z
        .enum(["lexical", "llm"])
        .default("lexical")
        .describe("With `original`: `llm` asks the model of `llm.judge`, which takes as long as it takes."),
    })
    .refine((params) => params.original === undefined || params.compressed !== undefined, {
      path: ["compressed"],
      message: 'must go together with "original"',
    })
    .refine((params) => params.original !== undefined || !asksForTexts(params), {
      path: ["original"],
      message: 'must be given where "compressed", "goal", "constraints" or the judge "llm" are: they are about texts',
    }),
  result: z.object({
    passes: z
      .array(
        z.object({
          pass_id: z.string(),
          judge: z.enum(["lexical", "llm"]),
          summarizer: z.enum(["none", "extractive", "llm"]),
          generation: z.number(),
          score: ratio,
          by_type: byType,
          probes: z.number(),
          kept: z.number(),
          below_floor: z.boolean(),
          curve,
        }),
      )
      .describe("Passes that were judged, in their order."),
    mean_score: ratio.nullable(),
    by_type: byType.describe("Mean of the passes."),
    curve: curve.describe("Mean of the passes, by age: how much of what was folded so many folds ago is still there."),
    trend: z.number().nullable().describe("Change of the score from one pass to the next, by least squares."),
    evaluation: z
      .object({
        judge: z.enum(["lexical", "llm"]),
        score: ratio,
        by_type: byType,
        probes: z.array(
          z.object({
            type: z.enum(PROBE_TYPES),
            question: z.string(),
            facts: z.array(z.string()),
            kept: z.boolean(),
            score: ratio,
          }),
        ),
      })
      .nullable()
      .describe("Of the texts given; else null."),
  }),
  prepare: async ({ journal }, session, params) =>
    params.original === undefined ? await judgedPasses(journal, session.key, params.pass_id ?? null, params.limit) : [],
  decide(hook, params, { prepared: passes }) {
    const texts = params.original === undefined ? null : { ...params, original: params.original };
    const { probes_per_type: perType } = hook.services.settings.fidelity;
    const evaluation = texts && evaluateTexts({ ...texts, compressed: params.compressed ?? "" }, perType);
    // A pass that a model judges too counts once, as the lexical judge saw it: the figures are of one kind.
    const measured = passes.filter(({ judge }) => judge === "lexical");
    return {
      passes: passes.map(({ kept_probes: _, floor: __, curve: points, ...rest }) => ({ ...rest, curve: [...points] })),
      mean_score: meanOf(measured.map(({ score }) => score)),
      by_type: meansBy(measured.flatMap(({ by_type }) => Object.entries(by_type))),
      curve: meanCurve(measured),
      trend: slopeOf(measured.map(({ score }) => score)),
      evaluation,
    };
  },
  async finish({ judge }, params, reply) {
    const { original, compressed } = params;
    if (params.judge !== "llm" || original === undefined || reply.evaluation === null) return reply;
    if (judge === null) {
      throw new ContextdError(
        "invalid_params",
        "No model is configured to judge: set `llm.judge` in the configuration, or ask for the judge `lexical`.",
        { path: "judge", config_key: "llm.judge" },
      );
    }
    const texts = { original, compressed: compressed ?? "" };
    return { ...reply, evaluation: await askJudge(judge, reply.evaluation, texts, randomUUID().slice(0, 8)) };
  },
});

/** What the journal tells of judged passes, oldest first; the latest `limit`. */
async function judgedPasses(
  journal: Reader["journal"],
  key: SessionKey,
  passId: string | null,
  limit: number,
): Promise<Evaluated[]> {
  const found: Evaluated[] = [];
  let from: number | undefined;
  for (let read = 0; read < MOST_ROWS && found.length < limit; read += PAGE) {
    const rows = await journal.rows(key, { limit: PAGE, newestFirst: true, ...(from === undefined ? {} : { from }) });
    for (const { body } of rows) {
      // Most rows hold none: they need not be parsed.
      if (!body.includes('"fidelity.evaluated"')) continue;
      const events = readBody(body).events.flatMap((event) =>
        event.type === "fidelity.evaluated" ? [event.data] : [],
      );
      found.push(...events.filter((data) => passId === null || data.pass_id === passId).reverse());
    }
    const oldest = rows.at(-1)?.sessionSeq ?? 1;
    if (rows.length < PAGE || oldest <= 1) break;
    from = oldest - 1;
  }
  return found.slice(0, limit).reverse();
}

function meanOf(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length;
}

function meansBy(entries: readonly (readonly [type: string, share: number])[]): z.output<typeof byType> {
  const types = PROBE_TYPES.filter((type) => entries.some(([each]) => each === type));
  return Object.fromEntries(
    types.map((type) => [type, meanOf(entries.filter(([each]) => each === type).map(([, share]) => share)) ?? 0]),
  );
}

function meanCurve(passes: readonly Evaluated[]): z.output<typeof curve> {
  const points = passes.flatMap((pass) => pass.curve);
  const ages = [...new Set(points.map(({ age }) => age))].sort((a, b) => a - b);
  return ages.map((age) => {
    const own = points.filter((point) => point.age === age);
    const probes = own.reduce((sum, point) => sum + point.probes, 0);
    return { age, score: meanOf(own.map(({ score }) => score)) ?? 0, probes };
  });
}

/** Slope of the line that fits the values best, a step apart; null of fewer than two. */
function slopeOf(values: readonly number[]): number | null {
  if (values.length < 2) return null;
  const middle = (values.length - 1) / 2;
  const mean = meanOf(values) ?? 0;
  const rise = values.reduce((sum, value, at) => sum + (at - middle) * (value - mean), 0);
  return rise / values.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
}
