import { z } from "zod";
import type { CoreEvent } from "../model/events.ts";
import { LEARNED_FROM, type LearnedFrom } from "../model/window-source.ts";
import { LEARNED_MODELS_KEPT, type LearnedModel } from "../store/journal.ts";
import { updateFactor } from "../tokens/index.ts";

/** The name under which sessions are opened that name no model: any may be behind it. */
export const UNNAMED_MODEL = "unknown";
/** What no limit is below, in tokens: as for `max_context_tokens`. Less is a mistake of who told it. */
const SMALLEST_WINDOW = 256;
/**
 * How long a learned limit is believed, ms: 30 days. Providers raise limits and gateways change what stands behind a
 * name; one that still holds is learned again at the price of one refused prompt.
 */
const BELIEVED_MS = 30 * 24 * 3_600_000;

/** A limit of a model's prompts as it was told. */
export interface LearnedWindow {
  /** Tokens. */
  readonly limit: number;
  readonly learnedFrom: LearnedFrom;
  /** Ms since the epoch. */
  readonly at: number;
  /** The session in which it was learned. */
  readonly sessionId: string;
}

/** What is known of a model within a tenant. */
export interface Known {
  /** Reported over estimated tokens, 0.5 to 3. */
  readonly factor: number;
  readonly window: LearnedWindow | null;
  /** Ms since the epoch; 0: nothing was learned yet. */
  readonly at: number;
}

const UNLEARNED: Known = { factor: 1, window: null, at: 0 };

/** A call as far as models may be learned from it. */
export interface Experience {
  readonly tenant: string;
  readonly model: string;
  readonly sessionId: string;
  /** Ms since the epoch. */
  readonly at: number;
  readonly events: readonly CoreEvent[];
}

/** What a call teaches, before it is stored. Exactly one of `keep` and `forget` is called in the end. */
export interface Lesson {
  /** The model's factor with it. */
  readonly factor: number;
  /** What is known of the model with it, for the journal; null: nothing new. */
  readonly body: string | null;
  /** The call is stored: what it teaches holds. */
  keep(): void;
  /** The call was refused: made again it teaches once. */
  forget(): void;
}

/**
 * The book of what is learned of models, by tenant and model: what one tenant's provider says must not move what
 * another's contexts count, nor its windows. Kept for good by the journal, in the rows of the calls that taught it.
 *
 * The factor follows the tokens that providers report, for prompts that they took and for those they refused. A limit
 * comes from `window.resized`; a prompt larger than it that went through refutes it.
 */
export class LearnedModels {
  /** By tenant and model; of each tenant in the order in which it was last learned. */
  readonly #tenants = new Map<string, Map<string, Known>>();
  /** Calls that are being stored, by tenant and model, in their order. */
  readonly #underWay = new Map<string, Experience[]>();

  /** Takes up what the journal has. A body of another shape, as a newer contextd may have written it, teaches nothing. */
  resume(stored: readonly LearnedModel[]): void {
    for (const { tenant, model, body, at } of stored) {
      const known = readKnown(body, at);
      if (known !== null) this.#put(tenant, model, known);
    }
  }

  /** From now on, counts of the model are taken times the factor. */
  calibrate(tenant: string, model: string, factor: number): void {
    const known = this.#known(tenant, model);
    if (factor !== known.factor) this.#put(tenant, model, { ...known, factor });
  }

  factor(tenant: string, model: string): number {
    return this.#known(tenant, model).factor;
  }

  /** The limit that was learned of the model, as long as it is believed. */
  window(tenant: string, model: string, now: number): LearnedWindow | null {
    return believed(this.#known(tenant, model).window, now);
  }

  /** What is known of a tenant's models, the newest first; limits as far as they are believed. */
  ofTenant(tenant: string, now: number): readonly (Known & { readonly model: string })[] {
    const models = [...(this.#tenants.get(tenant) ?? [])].reverse();
    return models.map(([model, known]) => ({ ...known, model, window: believed(known.window, now) }));
  }

  /** What a call teaches on top of those that are being stored. It is known once it is kept. */
  learn(experience: Experience): Lesson {
    const { tenant, model } = experience;
    const place = JSON.stringify([tenant, model]);
    const others = this.#underWay.get(place) ?? [];
    const before = others.reduce(taught, this.#known(tenant, model));
    const after = taught(before, experience);
    if (after === before) return { factor: after.factor, body: null, keep: () => undefined, forget: () => undefined };
    this.#underWay.set(place, [...others, experience]);
    const forget = (): void => {
      const left = (this.#underWay.get(place) ?? []).filter((each) => each !== experience);
      if (left.length > 0) this.#underWay.set(place, left);
      else this.#underWay.delete(place);
    };
    const keep = (): void => {
      forget();
      this.#put(tenant, model, taught(this.#known(tenant, model), experience));
    };
    return { factor: after.factor, body: writeKnown(after), keep, forget };
  }

  #known(tenant: string, model: string): Known {
    return this.#tenants.get(tenant)?.get(model) ?? UNLEARNED;
  }

  #put(tenant: string, model: string, known: Known): void {
    const models = this.#tenants.get(tenant) ?? new Map<string, Known>();
    this.#tenants.set(tenant, models);
    models.delete(model);
    models.set(model, known);
    if (models.size <= LEARNED_MODELS_KEPT) return;
    const [oldest] = models.keys();
    models.delete(oldest as string);
  }
}

function believed(window: LearnedWindow | null, now: number): LearnedWindow | null {
  return window !== null && now - window.at < BELIEVED_MS ? window : null;
}

/** What is known after a call; the same object where it teaches nothing. */
function taught(known: Known, experience: Experience): Known {
  let { factor, window } = known;
  for (const event of experience.events) {
    if (event.type === "turn.ended") {
      const { estimated_tokens: estimated, prompt_tokens: prompt } = event.data;
      if (prompt === null) continue;
      factor = updateFactor(factor, estimated, prompt);
      if (window !== null && prompt > window.limit) window = null;
    } else if (event.type === "overflow.reported") {
      const { estimated_tokens: estimated, reported_tokens: reported } = event.data;
      if (estimated !== null && reported !== null) factor = updateFactor(factor, estimated, reported);
    } else if (event.type === "window.resized") {
      window = toldWindow(event.data, experience) ?? window;
    }
  }
  return factor === known.factor && window === known.window ? known : { factor, window, at: experience.at };
}

/** The limit of the model that a new size of a session's window tells; null where it tells none. */
function toldWindow(
  { max_tokens: limit, learned_from: learnedFrom }: { max_tokens: number; learned_from: LearnedFrom | "configured" },
  { model, sessionId, at }: Experience,
): LearnedWindow | null {
  if (learnedFrom === "configured" || limit < SMALLEST_WINDOW || model === UNNAMED_MODEL) return null;
  return { limit, learnedFrom, at, sessionId };
}

/** How the journal has it. */
const storedKnown = z.object({
  factor: z.number().min(0.5).max(3),
  window: z
    .object({
      limit: z.number().min(SMALLEST_WINDOW),
      learned_from: z.enum(LEARNED_FROM),
      at: z.number(),
      session_id: z.string(),
    })
    .nullable(),
});

function writeKnown({ factor, window }: Known): string {
  const stored: z.infer<typeof storedKnown> = {
    factor,
    window: window && {
      limit: window.limit,
      learned_from: window.learnedFrom,
      at: window.at,
      session_id: window.sessionId,
    },
  };
  return JSON.stringify(stored);
}

function readKnown(body: string, at: number): Known | null {
  const { success, data } = storedKnown.safeParse(JSON.parse(body));
  if (!success) return null;
  const { factor, window } = data;
  const learned = window && {
    limit: window.limit,
    learnedFrom: window.learned_from,
    at: window.at,
    sessionId: window.session_id,
  };
  return { factor, window: learned, at };
}
