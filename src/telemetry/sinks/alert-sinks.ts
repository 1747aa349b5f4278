import type { Clock } from "../../model/clock.ts";
import type { Observer, PublishedEvent, Severity } from "../../model/events.ts";
import type { Log } from "../../model/log.ts";
import { AlertBoard } from "./alert-board.ts";
import type { Incident, Status } from "./incident.ts";
import { Lane, type LaneFigures } from "./lane.ts";
import {
  type AlertNotice,
  type AlertSubject,
  annotationsOf,
  fingerprintOf,
  labelsOf,
  type NoticeOptions,
} from "./notice.ts";
import { DeliveryRecord, type RecordFile } from "./record.ts";
import type { Destination } from "./sink.ts";

export interface AlertSinksOptions extends NoticeOptions {
  /** Notices that wait for one destination. */
  readonly queue: number;
  readonly concurrency: number;
  readonly retryForMs: number;
  readonly drainMs: number;
}

export interface AlertSinksDependencies {
  readonly destinations: readonly Destination[];
  /** What was delivered, from one run to the next; null: nothing is kept. */
  readonly record: RecordFile | null;
  readonly clock: Clock;
  readonly log: Log;
  readonly random?: () => number;
}

/** An alert that fires at the start of the daemon, as its session's state has it. */
export interface FiringAlert extends AlertSubject {
  readonly summary: string;
  readonly turn: number;
  /** When the session was last seen, ms since the epoch: when it was raised is not known any more. */
  readonly at: number;
}

export interface SinkFigures extends LaneFigures {
  readonly sink: string;
}

/** How far an alert that fires has come with one sink. */
export interface AlertDelivery {
  readonly sink: string;
  readonly state: "waiting" | "settled";
}

/** What was delivered is written down this much later, ms: until then a crash makes for a repeat. */
const RECORD_AFTER_MS = 100;

type AlertEvent = Extract<PublishedEvent, { readonly type: "alert.raised" | "alert.resolved" }>;

/**
 * Delivers the daemon's own alerts. An observer: it notes what was raised and resolved and returns; each destination has
 * a lane of its own. At least once: what was raised is told until it is taken, refused or given up, across restarts, and
 * a repeat has the same fingerprint.
 */
export class AlertSinks implements Observer {
  readonly name = "alert sinks";
  readonly #options: AlertSinksOptions;
  readonly #clock: Clock;
  readonly #board: AlertBoard;
  readonly #record: DeliveryRecord;
  readonly #lanes: readonly Lane[];
  /** Incidents whose firing is in the record. */
  readonly #recorded = new WeakSet<Incident>();
  readonly #repeats: NodeJS.Timeout[] = [];
  #recording: NodeJS.Timeout | null = null;

  constructor(options: AlertSinksOptions, dependencies: AlertSinksDependencies) {
    const { destinations, record, clock, log, random = Math.random } = dependencies;
    this.#options = options;
    this.#clock = clock;
    this.#board = new AlertBoard(options.queue);
    this.#record = new DeliveryRecord(record, { log, incidents: () => this.#board.all() });
    this.#lanes = destinations.map((destination) => {
      const lane: Lane = new Lane(destination, options, {
        clock,
        log,
        random,
        noticeOf: (incident, status) => noticeOf(incident, status, options),
        recorded: (incidents) => this.#inRecord(incidents),
        onSettled: (incident, status) => this.#settled(lane, incident, status),
        onRoom: () => this.#tellOwed([lane]),
      });
      return lane;
    });
  }

  /** Takes up where the last run ended. `firing`: what the sessions' states have. To be called before any event. */
  async start(firing: Iterable<FiringAlert>): Promise<void> {
    if (this.#lanes.length === 0) return;
    for (const incident of await this.#record.read()) {
      this.#board.add(incident);
      this.#recorded.add(incident);
    }
    const known = new Set<string>();
    for (const alert of firing) known.add(this.#stillFires(alert));
    for (const incident of [...this.#board.firing()]) {
      if (known.has(incident.fingerprint)) continue;
      const at = this.#clock.now();
      this.#board.resolve(incident, { at, turn: incident.firing.turn, description: "It no longer fires." });
    }
    this.#tellOwed(this.#lanes);
    for (const lane of this.#lanes) this.#repeat(lane);
  }

  observe(events: readonly PublishedEvent[]): void {
    if (this.#lanes.length === 0) return;
    for (const event of events) {
      if (event.type === "alert.raised") this.#raised(event);
      else if (event.type === "alert.resolved") this.#resolved(event);
    }
  }

  /** By sink: several Alertmanagers are one. */
  figures(): readonly SinkFigures[] {
    const bySink = new Map<string, LaneFigures>();
    for (const lane of this.#lanes) {
      const { sink } = lane.destination;
      const before = bySink.get(sink);
      bySink.set(sink, before ? summed(before, lane.figures()) : lane.figures());
    }
    return [...bySink].map(([sink, figures]) => ({ sink, ...figures }));
  }

  /** Which sinks have settled an alert that fires: told it, or gave it up. Those that do not want its severity are absent. */
  deliveriesOf(subject: Pick<AlertSubject, "tenant" | "session" | "alert" | "severity">): readonly AlertDelivery[] {
    const { tenant, session, alert, severity } = subject;
    const incident = this.#board.firingOf(fingerprintOf(this.#options.instance, tenant, session, alert));
    return this.#lanesFor(severity).map(({ destination: { sink, id } }) => ({
      sink,
      state: incident?.settled[id] === undefined ? "waiting" : "settled",
    }));
  }

  /** Tries once more what waits, within the time to drain; the rest is for the next run. */
  async close(): Promise<void> {
    for (const timer of this.#repeats) clearInterval(timer);
    await Promise.all(this.#lanes.map((lane) => lane.close(this.#options.drainMs)));
    if (this.#recording) clearTimeout(this.#recording);
    if (this.#lanes.length > 0) await this.#record.flush();
  }

  #raised(event: AlertEvent): void {
    const incident = this.#incidentOf(subjectOf(event), String(event.sequence), {
      at: event.at,
      turn: event.data.turn,
      description: event.data.summary,
    });
    const before = this.#board.firingOf(incident.fingerprint);
    if (before) this.#end(before, event);
    this.#board.add(incident);
    this.#tell(incident, "firing");
  }

  #resolved(event: AlertEvent): void {
    const { tenant, session, data } = event;
    const incident = this.#board.firingOf(fingerprintOf(this.#options.instance, tenant, session, data.alert));
    if (incident) this.#end(incident, event);
  }

  #end(incident: Incident, { at, data }: AlertEvent): void {
    this.#board.resolve(incident, { at, turn: data.turn, description: data.summary });
    this.#tell(incident, "resolved");
  }

  /** The fingerprint of what fires, on the board now. */
  #stillFires(alert: FiringAlert): string {
    const { at, turn, summary } = alert;
    const incident = this.#incidentOf(alert, `start ${at}`, { at, turn, description: summary });
    if (!this.#board.firingOf(incident.fingerprint)) this.#board.add(incident);
    return incident.fingerprint;
  }

  #incidentOf(subject: AlertSubject, sequence: string, firing: Incident["firing"]): Incident {
    const { instance } = this.#options;
    const { alert, severity, tenant, session } = subject;
    const fingerprint = fingerprintOf(instance, tenant, session, alert);
    const labels = { ...labelsOf(subject, instance) };
    const key = `${fingerprint} ${sequence}`;
    return { key, fingerprint, alert, severity, labels, firing, resolved: null, settled: {} };
  }

  #tell(incident: Incident, status: Status): void {
    for (const lane of this.#lanesFor(incident.severity)) lane.add(incident, status);
  }

  /** Tells what somebody is yet to be told, in the order of the incidents, as far as there is room. */
  #tellOwed(lanes: readonly Lane[]): void {
    for (const incident of [...this.#board.all()]) {
      for (const lane of lanes) {
        if (!lane.destination.severities.includes(incident.severity)) continue;
        const settled = incident.settled[lane.destination.id];
        if (settled === undefined && lane.room) lane.add(incident, "firing");
        if (incident.resolved !== null && settled !== "resolved" && lane.room) lane.add(incident, "resolved");
      }
    }
  }

  /** Tells again what fires, now and at the destination's distance, where it asks for that. */
  #repeat(lane: Lane): void {
    const { repeatMs, severities } = lane.destination;
    if (repeatMs === null) return;
    const again = (): void => {
      for (const incident of this.#board.firing()) {
        if (severities.includes(incident.severity) && lane.room) lane.add(incident, "firing");
      }
    };
    again();
    const timer = setInterval(again, repeatMs);
    timer.unref();
    this.#repeats.push(timer);
  }

  #settled(lane: Lane, incident: Incident, status: Status): void {
    const ids = this.#lanesFor(incident.severity).map(({ destination }) => destination.id);
    this.#board.settle(incident, lane.destination.id, status, ids);
    this.#recording ??= setTimeout(() => {
      this.#recording = null;
      void this.#record.flush();
    }, RECORD_AFTER_MS).unref();
  }

  async #inRecord(incidents: readonly Incident[]): Promise<void> {
    const fresh = incidents.filter((incident) => !this.#recorded.has(incident));
    if (fresh.length === 0) return;
    await this.#record.flush();
    for (const incident of fresh) this.#recorded.add(incident);
  }

  #lanesFor(severity: Severity): readonly Lane[] {
    return this.#lanes.filter(({ destination }) => destination.severities.includes(severity));
  }
}

function subjectOf({ tenant, session, labels, data }: AlertEvent): AlertSubject {
  const { alert, severity } = data;
  return { alert, severity, tenant, session, ...(labels ?? { agent: "", profile: "", model: "" }) };
}

function noticeOf(incident: Incident, status: Status, options: NoticeOptions): AlertNotice {
  const { fingerprint, alert, severity, labels, firing, resolved } = incident;
  const moment = status === "resolved" && resolved ? resolved : firing;
  return {
    status,
    fingerprint,
    alert,
    severity,
    labels,
    annotations: annotationsOf(labels, moment.description, firing.turn, options),
    turn: moment.turn,
    startsAt: firing.at,
    endsAt: status === "resolved" && resolved ? Math.max(resolved.at, firing.at) : null,
  };
}

function summed(a: LaneFigures, b: LaneFigures): LaneFigures {
  return {
    queued: a.queued + b.queued,
    outcomes: added(a.outcomes, b.outcomes),
    drops: added(a.drops, b.drops),
  };
}

function added<Key extends string>(a: Readonly<Record<Key, number>>, b: Readonly<Record<Key, number>>) {
  const keys = Object.keys(a) as Key[];
  return Object.fromEntries(keys.map((key) => [key, a[key] + b[key]])) as Record<Key, number>;
}
