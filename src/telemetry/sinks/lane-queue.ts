import type { Incident, Status } from "./incident.ts";

/** A notice that waits for a destination. */
export interface Waiting {
  readonly incident: Incident;
  readonly status: Status;
  /** Attempts that failed. */
  attempts: number;
  /** Monotonic, ms. */
  readonly since: number;
  notBefore: number;
}

export type DropReason = "superseded" | "overflow";

/**
 * What waits for one destination, in order, of a bounded length. Full, it drops the oldest notice that a later one about
 * the same alert supersedes, else the oldest. What is under way waits here until it is settled.
 */
export class LaneQueue {
  readonly #limit: number;
  readonly #waiting = new Set<Waiting>();
  /** Entries by fingerprint, in order. */
  readonly #byFingerprint = new Map<string, Waiting[]>();
  readonly #underWay = new Set<Waiting>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get length(): number {
    return this.#waiting.size;
  }

  get full(): boolean {
    return this.#waiting.size >= this.#limit;
  }

  has(incident: Incident, status: Status): boolean {
    const same = this.#byFingerprint.get(incident.fingerprint) ?? [];
    return same.some((entry) => entry.incident === incident && entry.status === status);
  }

  /** What was dropped to make room, and why; null: there was room. */
  push(entry: Waiting): { readonly dropped: Waiting; readonly reason: DropReason } | null {
    const { fingerprint } = entry.incident;
    this.#waiting.add(entry);
    this.#byFingerprint.set(fingerprint, [...(this.#byFingerprint.get(fingerprint) ?? []), entry]);
    return this.#waiting.size > this.#limit ? this.#drop() : null;
  }

  remove(entry: Waiting): void {
    this.#underWay.delete(entry);
    if (!this.#waiting.delete(entry)) return;
    const { fingerprint } = entry.incident;
    const rest = (this.#byFingerprint.get(fingerprint) ?? []).filter((other) => other !== entry);
    if (rest.length === 0) this.#byFingerprint.delete(fingerprint);
    else this.#byFingerprint.set(fingerprint, rest);
  }

  /** Up to `most` notices whose time has come, about different alerts, none of which is under way; marks them so. */
  take(most: number, now: number): Waiting[] {
    const taken: Waiting[] = [];
    for (const entry of this.#waiting) {
      if (taken.length >= most) break;
      if (entry.notBefore > now || this.#underWay.has(entry) || !this.#isFirst(entry)) continue;
      taken.push(entry);
    }
    for (const entry of taken) this.#underWay.add(entry);
    return taken;
  }

  /** Puts what was under way back into its place. */
  release(entry: Waiting, notBefore: number): void {
    this.#underWay.delete(entry);
    entry.notBefore = notBefore;
  }

  /** When the next notice's time comes, monotonic ms; null: nothing waits but what is under way. */
  nextTime(): number | null {
    let next: number | null = null;
    for (const entry of this.#waiting) {
      if (this.#underWay.has(entry) || !this.#isFirst(entry)) continue;
      if (next === null || entry.notBefore < next) next = entry.notBefore;
    }
    return next;
  }

  /** Every waiting notice's time has come. */
  hurry(): void {
    for (const entry of this.#waiting) entry.notBefore = 0;
  }

  #isFirst(entry: Waiting): boolean {
    return this.#byFingerprint.get(entry.incident.fingerprint)?.[0] === entry;
  }

  #drop(): { readonly dropped: Waiting; readonly reason: DropReason } | null {
    let oldest: Waiting | null = null;
    for (const entry of this.#waiting) {
      if (this.#underWay.has(entry)) continue;
      oldest ??= entry;
      if (this.#byFingerprint.get(entry.incident.fingerprint)?.at(-1) !== entry) return this.#take(entry, "superseded");
    }
    return oldest && this.#take(oldest, "overflow");
  }

  #take(dropped: Waiting, reason: DropReason) {
    this.remove(dropped);
    return { dropped, reason };
  }
}
