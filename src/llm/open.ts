import type { Clock } from "../model/clock.ts";
import { ContextdError } from "../model/errors.ts";
import type { LlmBreakerReading, LlmCall, LlmRole } from "../model/llm-call.ts";
import type { Log } from "../model/log.ts";
import { staysHere } from "../outbound/index.ts";
import { BREAKER_DEFAULTS, Breaker } from "./breaker.ts";
import { LlmClient, type LlmDependencies, type LlmOptions } from "./client.ts";
import { LlmError } from "./error.ts";
import { Gate } from "./gate.ts";
import type { WireName } from "./wire/index.ts";

/** One model of the config section `llm`. */
export interface LlmModelSettings {
  readonly api: WireName;
  readonly base_url: string;
  readonly model: string;
  readonly api_key: string | null;
  readonly api_key_file: string | null;
  readonly headers: Readonly<Record<string, string>>;
  readonly temperature: "auto" | number | null;
  readonly deadline_ms: number;
  readonly attempts: number;
  readonly concurrency: number;
  readonly max_response_bytes: number;
  readonly max_output_tokens: number;
  readonly max_input_tokens: "auto" | number;
}

/** The config section `llm`. */
export interface LlmSettings {
  readonly summarizer: LlmModelSettings | null;
  readonly judge: LlmModelSettings | null;
}

export interface OpenLlmDependencies
  extends Pick<LlmDependencies, "pricesOf" | "windowOf" | "lookup" | "pause" | "random"> {
  readonly clock: Clock;
  readonly log: Log;
  readonly observe: (call: LlmCall) => void;
  /** Text of a key file. Throws when it cannot be read. */
  readonly readKeyFile: (file: string) => string;
}

/** The models that are configured. Both null: none, and everything is done without. */
export interface Llm {
  readonly summarizer: LlmClient | null;
  /** The summarizer's model unless it has one of its own; then both share breaker and queue. */
  readonly judge: LlmClient | null;
  breakers(): readonly LlmBreakerReading[];
  close(): void;
}

/** The longest queue of calls before one model. */
const QUEUE = 100;

/**
 * The clients for the section's models. Nothing is sent yet. A key file is read before each request, so that a renewed key
 * holds at once; it is read here for the first time. Throws ContextdError `invalid_params` when it holds no key.
 */
export function openLlm({ summarizer, judge }: LlmSettings, dependencies: OpenLlmDependencies): Llm {
  const first = summarizer && prepare("summarizer", summarizer, dependencies);
  const own = judge && prepare("judge", judge, dependencies);
  const second = own ?? (first && { ...first, options: { ...first.options, role: "judge" as const } });
  const clients = [first, second].map((each) => each && new LlmClient(each.options, each.dependencies));
  const [summarizing = null, judging = null] = clients;
  return {
    summarizer: summarizing,
    judge: judging,
    breakers: () => [summarizing, own && judging].flatMap((client) => (client ? [client.breaker()] : [])),
    close() {
      for (const client of clients) client?.close();
    },
  };
}

interface Prepared {
  readonly options: LlmOptions;
  readonly dependencies: LlmDependencies;
}

function prepare(role: LlmRole, settings: LlmModelSettings, dependencies: OpenLlmDependencies): Prepared {
  const { readKeyFile, log, clock, ...shared } = dependencies;
  const { api, model, concurrency } = settings;
  const keyOf = keyReader(settings, readKeyFile);
  const key = keyOf();
  if (key === undefined) throw noKey(role);
  warnOfPlainText(role, settings, key !== null, log);
  const onChange = (state: string): void =>
    log[state === "open" ? "warn" : "info"]({ role, model, state }, "llm breaker");
  return {
    options: {
      role,
      api,
      baseUrl: settings.base_url.replace(/\/+$/, ""),
      model,
      // Anthropic's current version takes no temperature; what others do by default is too lively for a summary.
      temperature: settings.temperature === "auto" ? (api === "openai-chat" ? 0 : null) : settings.temperature,
      headers: settings.headers,
      deadlineMs: settings.deadline_ms,
      attempts: settings.attempts,
      concurrency,
      queue: QUEUE,
      maxResponseBytes: settings.max_response_bytes,
      maxOutputTokens: settings.max_output_tokens,
      maxInputTokens: settings.max_input_tokens,
    },
    dependencies: {
      ...shared,
      clock,
      apiKey: () => {
        const now = keyOf();
        if (now === undefined) throw new LlmError("unauthorized", { code: "no key in api_key_file" });
        return now;
      },
      breaker: new Breaker(BREAKER_DEFAULTS, { clock, onChange }),
      gate: new Gate({ concurrency, queue: QUEUE }),
    },
  };
}

/** null: there is to be none. undefined: the key file cannot be read, or holds none. */
function keyReader(settings: LlmModelSettings, read: (file: string) => string): () => string | null | undefined {
  const { api_key, api_key_file } = settings;
  if (api_key_file === null) return () => api_key;
  return () => {
    try {
      const key = read(api_key_file).trim();
      return /^[\x21-\x7e]+$/.test(key) ? key : undefined;
    } catch {
      return undefined;
    }
  };
}

function noKey(role: LlmRole): ContextdError {
  const path = `llm.${role}.api_key_file`;
  return new ContextdError("invalid_params", `${path} names no file that can be read and holds one key.`, { path });
}

function warnOfPlainText(role: LlmRole, { base_url }: LlmModelSettings, hasKey: boolean, log: Log): void {
  const { protocol, hostname } = new URL(base_url);
  if (!hasKey || protocol === "https:" || staysHere(hostname)) return;
  log.warn({ role, host: hostname }, "an LLM key is sent over plain http: use https in llm.*.base_url");
}
