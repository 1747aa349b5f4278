/** One line of Influx line protocol. Numbers become floats, whatever they are. */
export interface Point {
  readonly measurement: string;
  readonly tags?: Readonly<Record<string, string>>;
  /** At least one. */
  readonly fields: Readonly<Record<string, string | number>>;
  /** Wall time, whole milliseconds since the epoch. */
  readonly at: number;
}

/** Milliseconds at which nanoseconds no longer fit in 63 bits. */
const LAST_MS = 9_223_372_036_854;

/**
 * The point as a line, without its line end (InfluxDB's line protocol, version 1). What the format cannot hold is refused
 * with a RangeError rather than changed: an empty name or tag value, a line break or a backslash in one, no field, a number that is not finite, a time that is no whole number of milliseconds from 0 on.
 * Strings in fields may hold anything but NUL and halves of surrogate pairs.
 */
export function encodePoint({ measurement, tags = {}, fields, at }: Point): string {
  const named = Object.entries(tags).map(([key, value]) => `,${keyName(key)}=${tagValue(value)}`);
  const valued = Object.entries(fields).map(([key, value]) => `${keyName(key)}=${fieldValue(value)}`);
  if (valued.length === 0) throw new RangeError("a point needs a field");
  if (!Number.isInteger(at) || at < 0 || at > LAST_MS) throw new RangeError("a point needs whole milliseconds");
  // Milliseconds times a million in text: as a number it would be above what a double holds exactly.
  const nanoseconds = at === 0 ? "0" : `${at}000000`;
  return `${measurementName(measurement)}${named.join("")} ${valued.join(",")} ${nanoseconds}`;
}

function measurementName(name: string): string {
  // A line that begins with # is a comment.
  if (name.startsWith("#")) throw new RangeError("a measurement cannot begin with #");
  return holdable(name).replace(/[, ]/g, "\\$&");
}

function keyName(key: string): string {
  // A key that begins with a quote is taken for a string that does not end.
  if (key.includes('"')) throw new RangeError("a key cannot hold quotes");
  return holdable(key).replace(/[,= ]/g, "\\$&");
}

function tagValue(value: string): string {
  return holdable(value).replace(/[,= ]/g, "\\$&");
}

/**
 * Names and tag values have no escape for line breaks nor for backslashes: one that stands before a space, a comma or an
 * equals sign, or at the end, is read as an escape, and readers differ on which.
 */
function holdable(text: string): string {
  if (text === "" || /[\\\n\r\0]/.test(text)) {
    throw new RangeError("line protocol cannot hold this name or tag value");
  }
  return text;
}

function fieldValue(value: string | number): string {
  if (typeof value === "string") return `"${value.replace(/["\\]/g, "\\$&")}"`;
  if (!Number.isFinite(value)) throw new RangeError("line protocol holds finite numbers only");
  return String(value);
}
