/** Figures as people read them. A narrow no-break space keeps a figure and its unit together; the minus is a minus. */

const THIN = "\u202f";

const figures = new Intl.NumberFormat("en-US");

export function whole(n) {
  return figures.format(Math.round(n));
}

/** 98320 as 98.3k, 4210000 as 4.21M. */
export function compact(n) {
  const size = Math.abs(n);
  if (size >= 1e9) return `${(n / 1e9).toFixed(2)}G`;
  if (size >= 999_950) return `${(n / 1e6).toFixed(2)}M`;
  if (size >= 99_950) return `${Math.round(n / 1e3)}k`;
  if (size >= 1e3) return `${(n / 1e3).toFixed(1)}k`;
  return String(Math.round(n));
}

/** The size of a window: round thousands lose their decimals. */
export function windowSize(n) {
  if (n >= 1e6) return `${Number((n / 1e6).toFixed(2))}M`;
  return n >= 1e3 ? `${Number((n / 1e3).toFixed(n % 1000 === 0 ? 0 : 1))}k` : String(n);
}

export function percent(ratio, decimals = 1) {
  return `${(ratio * 100).toFixed(decimals)}%`;
}

export function signed(n) {
  return n < 0 ? `−${compact(-n)}` : `+${compact(n)}`;
}

/** Turns until red: null while the context does not grow. */
export function turns(n) {
  if (n === null) return "–";
  if (n >= 100) return "> 99";
  return n < 9.95 ? n.toFixed(1) : n.toFixed(0);
}

/** A span of time by its largest unit: 18 s, 6 min, 3 h, 2 d. */
export function span(ms) {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds}${THIN}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}${THIN}min`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)}${THIN}h`;
  return `${Math.floor(seconds / 86_400)}${THIN}d`;
}

const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const clockInZone = new Intl.DateTimeFormat("en-GB", {
  ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "shortOffset" },
});
const dateInZone = new Intl.DateTimeFormat("en-GB", {
  ...{ year: "numeric", month: "2-digit", day: "2-digit" },
  ...{ hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "shortOffset" },
});

/** 14:02:11 in the reader's zone, where what stands around it tells the zone: see `zoneName`. */
export function clockTime(ms) {
  return clock.format(ms);
}

/** 14:02:11 GMT+2: with the offset in force at that moment, which changes with the season. */
export function clockTimeInZone(ms) {
  return clockInZone.format(ms);
}

/** 2025-10-26 02:30:00 GMT+2. */
export function dateTime(ms) {
  const part = Object.fromEntries(dateInZone.formatToParts(ms).map(({ type, value }) => [type, value]));
  return `${part.year}-${part.month}-${part.day} ${part.hour}:${part.minute}:${part.second} ${part.timeZoneName}`;
}

/** The reader's zone by its name: Europe/Berlin. */
export function zoneName() {
  return clock.resolvedOptions().timeZone;
}

export function count(n, one, many = `${one}s`) {
  return `${whole(n)} ${n === 1 ? one : many}`;
}

export function zoneWord(zone) {
  return zone.charAt(0).toUpperCase() + zone.slice(1);
}
