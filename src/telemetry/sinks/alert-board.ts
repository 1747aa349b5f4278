import type { Incident, Status } from "./incident.ts";

/**
 * The incidents that somebody has yet to be told of, or that fire. Those that are over and that not everybody was told
 * of are bounded: the oldest is forgotten first.
 */
export class AlertBoard {
  readonly #limit: number;
  readonly #incidents = new Map<string, Incident>();
  /** The incident that fires, by fingerprint. */
  readonly #firing = new Map<string, Incident>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  all(): Iterable<Incident> {
    return this.#incidents.values();
  }

  firing(): Iterable<Incident> {
    return this.#firing.values();
  }

  firingOf(fingerprint: string): Incident | null {
    return this.#firing.get(fingerprint) ?? null;
  }

  /** What was forgotten to make room, if anything. */
  add(incident: Incident): Incident | null {
    this.#incidents.set(incident.key, incident);
    if (incident.resolved === null) this.#firing.set(incident.fingerprint, incident);
    return this.#incidents.size - this.#firing.size > this.#limit ? this.#forgetOldest() : null;
  }

  resolve(incident: Incident, end: NonNullable<Incident["resolved"]>): void {
    incident.resolved = end;
    if (this.#firing.get(incident.fingerprint) === incident) this.#firing.delete(incident.fingerprint);
  }

  /** Notes what a destination has been told; forgets an incident that is over when all of `destinations` know. */
  settle(incident: Incident, destination: string, status: Status, destinations: readonly string[]): void {
    if (incident.settled[destination] !== "resolved") incident.settled[destination] = status;
    if (incident.resolved === null) return;
    if (destinations.every((id) => incident.settled[id] === "resolved")) this.#incidents.delete(incident.key);
  }

  #forgetOldest(): Incident | null {
    for (const incident of this.#incidents.values()) {
      if (incident.resolved === null) continue;
      this.#incidents.delete(incident.key);
      return incident;
    }
    return null;
  }
}
