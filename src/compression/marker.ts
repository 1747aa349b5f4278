export interface LeftOut {
  /** Lines missing; 0 where a part of one is. */
  readonly lines: number;
  readonly tokens: number;
  /** What the agent can get the original back by; null: the marker names none. */
  readonly handle: string | null;
  /** What is missing, in a few words. */
  readonly detail?: string;
  /** The marker sums up several places. */
  readonly inAll?: boolean;
}

/** `[… 1,234 lines (5,678 tokens) left out; recall h-0123456789ab …]`: stands for all that is missing of a text. */
export function leftOutMarker({ lines, tokens, handle, detail = "", inAll = false }: LeftOut): string {
  const missing = lines === 0 ? tokensOf(tokens) : `${linesOf(lines)} (${tokensOf(tokens)})`;
  const words = `${missing} left out${inAll ? " in all" : ""}${detail === "" ? "" : `: ${detail}`}`;
  return `[… ${words}${handle === null ? "" : `; recall ${handle}`} …]`;
}

/** `[… 12 lines …]`: one place of several in which lines are missing; a marker behind the last sums them up. */
export function gapMarker(lines: number, detail = ""): string {
  return `[… ${linesOf(lines)}${detail === "" ? "" : `: ${detail}`} …]`;
}

/** `[× 37]`: the line above stands 37 times, or so many lines are like it but for their figures. */
export function repeatMarker(times: number, alike: boolean): string {
  return `[× ${grouped(times)}${alike ? " alike" : ""}]`;
}

const SUM = /^\[… ([\d,]{1,15}) lines? \(([\d,]{1,15}) tokens\) left out( in all)?[:; ]/;
const PART = /^\[… ([\d,]{1,15}) tokens left out[:; ]/;
const GAP = /^\[… ([\d,]{1,15}) lines?[: ]/;
const REPEAT = /^\[× ([\d,]{1,15})( alike)?\]$/;

/** What a marker in a text that was shortened before tells; null of any other line. */
export function readMarker(line: string): { readonly lines: number; readonly tokens: number } | null {
  if (!line.startsWith("[… ") || !line.endsWith(" …]")) return null;
  const sum = SUM.exec(line);
  if (sum) return { lines: sum[3] === undefined ? figure(sum[1]) : 0, tokens: figure(sum[2]) };
  const part = PART.exec(line);
  if (part) return { lines: 0, tokens: figure(part[1]) };
  const gap = GAP.exec(line);
  return gap && !line.includes(" tokens) left out") ? { lines: figure(gap[1]), tokens: 0 } : null;
}

/** How often the line above stood; null of any other line. */
export function readRepeat(line: string): number | null {
  if (!line.startsWith("[× ")) return null;
  const found = REPEAT.exec(line);
  return found === null ? null : figure(found[1]);
}

function figure(digits: string | undefined): number {
  return Number((digits ?? "0").replaceAll(",", ""));
}

function linesOf(count: number): string {
  return `${grouped(count)} ${count === 1 ? "line" : "lines"}`;
}

function tokensOf(count: number): string {
  return `${grouped(count)} tokens`;
}

function grouped(count: number): string {
  return String(Math.max(0, Math.round(count))).replace(/\B(?=(?:\d{3})+$)/g, ",");
}
