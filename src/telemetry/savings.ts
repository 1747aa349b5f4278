import type { EventData, GateFigures, PublishedEvent } from "../model/events.ts";

/** Sessions whose passes are remembered; beyond them the one that was edited longest ago is forgotten. */
const SESSIONS = 10_000;

/** What one answered model call cost and saved, in fresh input tokens. */
export interface CallSaving {
  /** Negative where the call pays for an edit that has not paid back. */
  readonly saved: number;
  /** The prompt's own cost and what stands against it; null where the provider did not tell of its cache. */
  readonly known: { readonly spent: number; readonly saved: number } | null;
}

interface Edited {
  /** Tokens that passes of this window took out: a prompt would hold them still. */
  freed: number;
  readPrice: number;
  writePrice: number;
  /** What edits cost that no call was charged with yet. */
  owed: number;
  maxTokens: number;
}

/**
 * What edits saved, call by call, with the prices of the break-even gate (eviction/gate.ts). Against an agent that never
 * edits, whose prompt grows until the window is full and which reads all of it from the cache, a model call saves
 *
 *     saved = min(freed, max_tokens - prompt) * read_price - cost
 *     cost  = (tokens_rewritten + carried) * (write_price - read_price)
 *
 * in fresh input tokens: `freed` is what the passes of this window took out, net of what they put in; `cost` is charged
 * once, to the first call after the pass; `carried` are the tokens that a pass put in (ledger, summary, standing
 * message). The limit is what keeps the figure small: replay and shadow mode compare with prompts that grow for ever, which
 * nobody could send. Passes that no gate weighed are not counted, neither what they freed nor what they cost, nor are
 * passes before the daemon's start. A new window begins at nothing: what the old one held would not have fitted.
 *
 * Of calls whose usage tells of the cache the prompt's own cost is known as well:
 *
 *     spent = fresh + cache_read * read_price + cache_write * write_price
 *
 * so that saved / (spent + saved) is a share of what they would have cost.
 */
export class Savings {
  readonly #sessions = new Map<string, Edited>();

  pass(event: PublishedEvent, data: EventData["history.compacted"]): void {
    if (data.gate === null) return;
    const key = keyOf(event);
    const edited = this.#sessions.get(key) ?? unedited();
    this.#sessions.delete(key);
    this.#sessions.set(key, edited);
    if (this.#sessions.size > SESSIONS) this.#sessions.delete(this.#sessions.keys().next().value as string);
    const { read_price, write_price } = data.gate;
    const { net, cost } = weighed(data.gate, data.tokens_before - data.tokens_after);
    edited.freed += net;
    edited.owed += cost;
    edited.readPrice = read_price;
    edited.writePrice = write_price;
  }

  measured(event: PublishedEvent, { max_tokens }: EventData["pressure.measured"]): void {
    const edited = this.#sessions.get(keyOf(event));
    if (edited) edited.maxTokens = max_tokens;
  }

  /** A new window, or the session's end. */
  forget(event: PublishedEvent): void {
    this.#sessions.delete(keyOf(event));
  }

  /** The model answered; null in a session without an edit. */
  answered(event: PublishedEvent, data: EventData["turn.ended"]): CallSaving | null {
    const edited = this.#sessions.get(keyOf(event));
    if (!edited) return null;
    const { readPrice, writePrice, owed } = edited;
    const room = Math.max(0, edited.maxTokens - (data.prompt_tokens ?? data.estimated_tokens));
    const saved = Math.min(edited.freed, room) * readPrice - owed;
    edited.owed = 0;
    const spent = costOf(data, readPrice, writePrice);
    return { saved, known: spent === null ? null : { spent, saved } };
  }
}

function unedited(): Edited {
  return { freed: 0, readPrice: 0, writePrice: 0, owed: 0, maxTokens: Number.POSITIVE_INFINITY };
}

function weighed(gate: GateFigures, net: number): { readonly net: number; readonly cost: number } {
  const carried = Math.max(0, gate.tokens_freed - net);
  return { net: Math.min(gate.tokens_freed, net), cost: gate.cost + carried * (gate.write_price - gate.read_price) };
}

/** null where the provider did not tell what it read from its cache. */
function costOf(data: EventData["turn.ended"], readPrice: number, writePrice: number): number | null {
  const { prompt_tokens: prompt, cache_read_input_tokens: read, cache_creation_input_tokens: written } = data;
  if (prompt === null || read === null) return null;
  const fresh = Math.max(0, prompt - read - (written ?? 0));
  return fresh + read * readPrice + (written ?? 0) * writePrice;
}

function keyOf({ tenant, session }: PublishedEvent): string {
  return JSON.stringify([tenant, session]);
}
