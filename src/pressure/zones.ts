import { ZONES, type Zone, type ZoneThresholds } from "../model/zone.ts";

/** Lower bound of a zone as a share of the window; green has none. */
function lowerBound(zone: Zone, thresholds: ZoneThresholds): number {
  return zone === "green" ? Number.NEGATIVE_INFINITY : thresholds[zone];
}

/** The zone of a utilization, without memory: a threshold belongs to the zone above it. */
export function zoneAt(utilization: number, thresholds: ZoneThresholds): Zone {
  return ZONES.findLast((zone) => utilization >= lowerBound(zone, thresholds)) ?? "green";
}

/**
 * The zone after `previous`: upward at once, downward only when the utilization is below the threshold of the
 * zone to leave by more than `hysteresis`, one zone after the other, so that a context that hovers about a
 * threshold does not flap.
 */
export function nextZone(previous: Zone, utilization: number, thresholds: ZoneThresholds, hysteresis: number): Zone {
  const plain = ZONES.indexOf(zoneAt(utilization, thresholds));
  let index = ZONES.indexOf(previous);
  if (plain >= index) return ZONES[plain] as Zone;
  while (index > plain && utilization < lowerBound(ZONES[index] as Zone, thresholds) - hysteresis) index -= 1;
  return ZONES[index] as Zone;
}
