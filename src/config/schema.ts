import { z } from "zod";
import { budget } from "./sections/budget.ts";
import { compaction } from "./sections/compaction.ts";
import { compression } from "./sections/compression.ts";
import { crossWindow } from "./sections/cross-window.ts";
import { delegation } from "./sections/delegation.ts";
import { eviction } from "./sections/eviction.ts";
import { fidelity } from "./sections/fidelity.ts";
import { healthMonitoring } from "./sections/health-monitoring.ts";
import { ledger } from "./sections/ledger.ts";
import { llm } from "./sections/llm.ts";
import { models } from "./sections/models.ts";
import { notes } from "./sections/notes.ts";
import { pressure } from "./sections/pressure.ts";
import { count, path } from "./sections/quantities.ts";
import { server } from "./sections/server.ts";
import { shadow } from "./sections/shadow.ts";
import { store } from "./sections/store.ts";
import { telemetry } from "./sections/telemetry.ts";

/** The profile of sessions that ask for none: the defaults are it. */
const DEFAULT_PROFILE = "default-128k";

/** The names of the registered strategies, built in and plugged in: the legal values of the keys that choose one. */
export interface StrategyNames {
  readonly policies: readonly string[];
  readonly compressionMethods: readonly string[];
  /** What checks `eviction.options`, by policy; a policy without one takes what it is given. */
  readonly policyOptions?: Readonly<Record<string, z.ZodType>>;
  /** What checks `compression.options`, by method. */
  readonly methodOptions?: Readonly<Record<string, z.ZodType>>;
  /** What checks `telemetry.alert_sinks.<name>.options`, by the sink that a plug-in brings. */
  readonly sinkOptions?: Readonly<Record<string, z.ZodType>>;
}

/** The keys that a config, a profile and a session's own settings share. */
const sessionShape = (names: StrategyNames) => ({
  max_context_tokens: count(1)
    .nullable()
    .default(null)
    .describe("Window of a session, in tokens; null: the model's, from the catalogue."),
  pressure,
  eviction: eviction(names.policies),
  ledger,
  compression: compression(names.compressionMethods),
  compaction,
  fidelity,
  notes,
  budget,
  delegation,
  cross_window: crossWindow,
  health_monitoring: healthMonitoring,
});

/** What a session runs with, as one validated whole. */
export const sessionSchema = (names: StrategyNames) =>
  z.strictObject(sessionShape(names)).superRefine((settings, context) => {
    targetBelowOrange(settings, context);
    optionsFitPolicy(settings.eviction, names, context);
    optionsFitMethods(settings.compression.options, names, context);
  });

/** The whole config file. Every key has a default; an unknown key is an error. */
export const configSchema = (names: StrategyNames) =>
  z
    .strictObject({
      profile: z.string().default(DEFAULT_PROFILE).describe("Profile of sessions that ask for none."),
      profiles: z
        .record(
          z
            .string()
            .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, "must be 1 to 64 letters, digits, dots, dashes or underscores"),
          z.record(z.string(), z.json()),
        )
        .default({})
        .describe("Named settings of sessions: any of the session keys; one named like a built-in profile amends it."),
      server,
      store,
      ...sessionShape(names),
      shadow,
      llm,
      models,
      need_model: z
        .union([z.literal("builtin"), path()])
        .default("builtin")
        .describe(
          "Model that scores the lines carried over: the one that comes with contextd, or a file made by training.",
        )
        .meta({ "x-restart": true }),
      tokenizer: z
        .enum(["own", "js-tiktoken"])
        .default("own")
        .describe("Code that counts tokens; both are exact, `own` is many times faster.")
        .meta({ "x-restart": true }),
      telemetry,
      plugins: z
        .array(path())
        .max(100)
        .default([])
        .describe("ES modules whose strategies join the built-in ones; paths relative to the config file.")
        .meta({ "x-restart": true }),
    })
    .superRefine((config, context) => {
      targetBelowOrange(config, context);
      optionsFitPolicy(config.eviction, names, context);
      optionsFitMethods(config.compression.options, names, context);
      optionsFitSinks(config.telemetry, names, context);
      if (!Object.hasOwn(config.profiles, config.profile)) {
        context.addIssue({
          code: "custom",
          path: ["profile"],
          message: `names no profile; legal: ${Object.keys(config.profiles).sort().join(", ")}`,
        });
      }
    });

export type Config = Immutable<z.output<ReturnType<typeof configSchema>>>;
export type SessionSettings = Immutable<z.output<ReturnType<typeof sessionSchema>>>;

type Immutable<T> = T extends readonly (infer Item)[]
  ? readonly Immutable<Item>[]
  : T extends object
    ? { readonly [Key in keyof T]: Immutable<T[Key]> }
    : T;

/** A pass that goes no lower than where it starts would run at every turn. */
function targetBelowOrange(
  settings: {
    pressure: { thresholds: "auto" | { orange: number } };
    eviction: { target_utilization: "auto" | number };
  },
  context: z.RefinementCtx,
): void {
  const { thresholds } = settings.pressure;
  const target = settings.eviction.target_utilization;
  if (thresholds === "auto" || target === "auto" || target < thresholds.orange) return;
  context.addIssue({
    code: "custom",
    path: ["eviction", "target_utilization"],
    message: `must be below pressure.thresholds.orange (${thresholds.orange}), where eviction starts`,
  });
}

function optionsFitPolicy(
  { policy, options }: { readonly policy: string; readonly options: unknown },
  { policyOptions = {} }: StrategyNames,
  context: z.RefinementCtx,
): void {
  const checked = Object.hasOwn(policyOptions, policy) ? policyOptions[policy]?.safeParse(options) : undefined;
  for (const issue of checked?.error?.issues ?? []) {
    const path = ["eviction", "options", ...issue.path];
    context.addIssue({ code: "custom", path, message: `is refused by the policy ${policy}: ${issue.message}` });
  }
}

function optionsFitMethods(
  options: Readonly<Record<string, unknown>>,
  { methodOptions = {} }: StrategyNames,
  context: z.RefinementCtx,
): void {
  for (const [method, given] of Object.entries(options)) {
    if (!Object.hasOwn(methodOptions, method)) {
      const legal = Object.keys(methodOptions).sort().join(", ");
      context.addIssue({
        code: "custom",
        path: ["compression", "options", method],
        message: `names no compression method; legal: ${legal}`,
      });
      continue;
    }
    for (const issue of methodOptions[method]?.safeParse(given).error?.issues ?? []) {
      const path = ["compression", "options", method, ...issue.path];
      context.addIssue({ code: "custom", path, message: `is refused by the method ${method}: ${issue.message}` });
    }
  }
}

function optionsFitSinks(
  { alert_sinks, webhooks }: { readonly alert_sinks: Readonly<Record<string, { options: unknown }>>; webhooks: object },
  { sinkOptions = {} }: StrategyNames,
  context: z.RefinementCtx,
): void {
  for (const [name, { options }] of Object.entries(alert_sinks)) {
    const path = ["telemetry", "alert_sinks", name];
    if (!Object.hasOwn(sinkOptions, name)) {
      const legal = Object.keys(sinkOptions).sort().join(", ") || "none, since no plug-in brings one";
      context.addIssue({ code: "custom", path, message: `names no sink; legal: ${legal}` });
    } else if (Object.hasOwn(webhooks, name)) {
      context.addIssue({ code: "custom", path, message: "is the name of a webhook, too; rename the webhook" });
    }
    for (const issue of sinkOptions[name]?.safeParse(options).error?.issues ?? []) {
      const at = [...path, "options", ...issue.path];
      context.addIssue({ code: "custom", path: at, message: `is refused by the sink ${name}: ${issue.message}` });
    }
  }
}
