import { randomBytes } from "node:crypto";
import { type Config, readSecretFile } from "./config/index.ts";
import { type Llm, openLlm } from "./llm/index.ts";
import type { Clock } from "./model/clock.ts";
import type { LlmCall } from "./model/llm-call.ts";
import type { Log } from "./model/log.ts";
import { LlmSummaries } from "./summaries/index.ts";
import type { ModelCatalogue, ModelEntry } from "./tokens/index.ts";

/** The models that help contextd itself, as the config names them; without any, everything is done by rules. */
export interface HelpingModels extends Llm {
  /** Summaries off the hot path; null: no model is configured for them. */
  readonly summaries: LlmSummaries | null;
}

export interface HelpingModelsDependencies {
  readonly catalogue: () => ModelCatalogue;
  readonly clock: Clock;
  readonly log: Log;
  /** Told of each finished call. */
  readonly observe: (call: LlmCall) => void;
}

/** Throws ContextdError `invalid_params` when a key is named and cannot be read. */
export function openHelpingModels(config: Config, dependencies: HelpingModelsDependencies): HelpingModels {
  const { catalogue, clock, log, observe } = dependencies;
  const llm = openLlm(config.llm, {
    clock,
    log,
    observe,
    readKeyFile: readSecretFile,
    pricesOf: (model) => catalogue().find(model).prices,
    windowOf: (model) => knownWindow(catalogue().find(model)),
  });
  const { summarizer: model, judge } = llm;
  const nonce = () => randomBytes(8).toString("hex");
  return { ...llm, summaries: model && new LlmSummaries({ model, judge, clock, log, nonce }) };
}

/** A window that is told by the catalogue; null for a guess. */
function knownWindow({ guessed, context_window, max_input_tokens }: ModelEntry): number | null {
  return guessed ? null : (max_input_tokens ?? context_window);
}
