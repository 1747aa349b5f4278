import { ZONES, type Zone } from "../../model/zone.ts";
import { LabelBounds } from "../metrics/label-bounds.ts";
import { displayedTag } from "./displayed-text.ts";
import { encodePoint } from "./line-protocol.ts";

/** What is read of an open session. */
export interface OpenSession {
  readonly profile: string;
  readonly zone: Zone;
  readonly utilization: number;
  readonly tokens: number;
}

interface Sums {
  sessions: number;
  utilization: number;
  highest: number;
  tokens: number;
}

/**
 * The measurement `window`: how full the open sessions are, by profile and zone, at one moment. Its tags are a closed set
 * (a profile beyond the first fifty counts as `other`), so the lines of a reading are at most four times fifty-one,
 * however many sessions are open. A profile that was once there stays, at zero: its curve ends instead of freezing.
 */
export class WindowLines {
  readonly #bounds = new LabelBounds();
  readonly #profiles = new Set<string>();

  read(sessions: Iterable<OpenSession>, at: number): string[] {
    const sums = new Map<string, Sums>();
    for (const { profile, zone, utilization, tokens } of sessions) {
      const name = displayedTag(this.#bounds.hold("profile", profile));
      this.#profiles.add(name);
      const key = `${zone} ${name}`;
      const sum = sums.get(key) ?? { sessions: 0, utilization: 0, highest: 0, tokens: 0 };
      sum.sessions++;
      sum.utilization += utilization;
      sum.highest = Math.max(sum.highest, utilization);
      sum.tokens += tokens;
      sums.set(key, sum);
    }
    return [...this.#profiles].flatMap((profile) =>
      ZONES.map((zone) => line(profile, zone, sums.get(`${zone} ${profile}`), at)),
    );
  }
}

function line(profile: string, zone: Zone, sum: Sums | undefined, at: number): string {
  const sessions = sum?.sessions ?? 0;
  return encodePoint({
    measurement: "window",
    tags: { profile, zone },
    fields: {
      sessions,
      utilization: sum === undefined ? 0 : sum.utilization / sessions,
      utilization_max: sum?.highest ?? 0,
      tokens: sum?.tokens ?? 0,
    },
    at: Math.trunc(at),
  });
}
