/**
 * OpenMetrics text into Prometheus text 0.0.4, for clients that read only the latter (and for `promtool check metrics`,
 * which cannot read exemplars). prom-client corrupts counter names when one registry serves both, so it serves
 * OpenMetrics and this converts: the metadata of a counter gets its `_total` back, exemplars and the end mark go.
 */
export function toPrometheusText(openMetrics: string): string {
  const counters = new Set<string>();
  for (const match of openMetrics.matchAll(/^# TYPE (\S+) counter$/gm)) counters.add(match[1] as string);
  const out: string[] = [];
  for (const line of openMetrics.split("\n")) {
    if (line === "" || line === "# EOF" || line.startsWith("# UNIT ")) continue;
    if (line.startsWith("# ")) out.push(metadata(line, counters));
    else out.push(line.slice(0, endOfSample(line)));
  }
  return `${out.join("\n")}\n`;
}

function metadata(line: string, counters: ReadonlySet<string>): string {
  const [hash, keyword, name, ...rest] = line.split(" ");
  if (name === undefined || !counters.has(name)) return line;
  return [hash, keyword, `${name}_total`, ...rest].join(" ");
}

/** Where the exemplar (` # {…}`) begins, looking only outside of quoted label values. */
function endOfSample(line: string): number {
  let quoted = false;
  for (let i = 0; i < line.length; i++) {
    const c = line[i];
    if (quoted && c === "\\") i++;
    else if (c === '"') quoted = !quoted;
    else if (!quoted && c === "#" && line[i - 1] === " ") return i - 1;
  }
  return line.length;
}

/**
 * Whether a client asks only for the plain text format: it does not accept OpenMetrics, neither by name nor by a
 * wildcard. A browser (it names text/html) is given plain text too, since it would save OpenMetrics as a file.
 */
export function wantsPrometheusText(accept: string | undefined): boolean {
  if (accept === undefined || accept.trim() === "") return false;
  const ranges = accept
    .toLowerCase()
    .split(",")
    .map((range) => range.split(";").map((piece) => piece.trim()))
    .filter((pieces) => !pieces.some((piece) => /^q=0(\.0*)?$/.test(piece)))
    .map((pieces) => pieces[0]);
  if (ranges.includes("application/openmetrics-text")) return false;
  if (ranges.includes("text/html")) return true;
  if (ranges.includes("*/*") || ranges.includes("application/*")) return false;
  return ranges.includes("text/plain") || ranges.includes("text/*");
}
