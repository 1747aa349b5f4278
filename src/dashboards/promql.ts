import { type LabelOf, METRICS, type MetricName, type NameOf } from "./metrics.ts";

/** A PromQL expression, the metrics it reads, and the labels that its series have. */
export interface Expression<Label extends string = string> {
  readonly text: string;
  readonly metrics: readonly string[];
  /** Never set: it carries the labels' type. */
  readonly labels?: readonly Label[];
}

export interface Match {
  readonly operator: "=" | "!=" | "=~" | "!~";
  readonly value: string;
}
type Where<Label extends string> = { readonly [L in Label]?: string | Match };

/** Grafana's window for rates: long enough for four scrapes, and for the gap between two points. */
export const RATE_WINDOW = "$__rate_interval";

export const not = (value: string): Match => ({ operator: "!=", value });
export const matching = (pattern: string): Match => ({ operator: "=~", value: pattern });

/** Variables that narrow every metric that has such a label. */
const NARROWED_BY = ["job", "instance", "profile", "model"] as const;

function selector(name: MetricName, where: Readonly<Record<string, unknown>>, suffix = ""): string {
  const has = new Set<string>(["job", "instance", ...METRICS[name].labels]);
  const narrowed = NARROWED_BY.filter((label) => has.has(label)).map((label) => `${label}=~"$${label}"`);
  const own = Object.entries(where as Record<string, string | Match>).map(([label, match]) => {
    const { operator, value } = typeof match === "string" ? ({ operator: "=", value: match } as const) : match;
    return `${label}${operator}${JSON.stringify(value)}`;
  });
  return `${name}${suffix}{${[...narrowed, ...own].join(", ")}}`;
}

function expression<L extends string>(text: string, ...of: readonly (string | Expression)[]): Expression<L> {
  const metrics = of.flatMap((part) => (typeof part === "string" ? [part] : part.metrics));
  return { text, metrics: [...new Set(metrics)] };
}

/** A gauge as it stands. */
export function now<N extends NameOf<"gauge">>(name: N, where: Where<LabelOf<N>> = {}): Expression<LabelOf<N>> {
  return expression(selector(name, where), name);
}

/** A counter's growth a second. */
export function perSecond<N extends NameOf<"counter">>(name: N, where: Where<LabelOf<N>> = {}): Expression<LabelOf<N>> {
  return expression(`rate(${selector(name, where)}[${RATE_WINDOW}])`, name);
}

/** A counter's growth over a range, by default that between two points. */
export function growth<N extends NameOf<"counter">>(
  name: N,
  where: Where<LabelOf<N>> = {},
  range: string = RATE_WINDOW,
): Expression<LabelOf<N>> {
  return expression(`increase(${selector(name, where)}[${range}])`, name);
}

/**
 * Growth of a counter of rare things. A labelled series is born with its first event, at 1, where `increase` sees no
 * step: one that was not there a range ago counts in full. A daemon whose past Prometheus has not seen shows it at once.
 */
export function grown<N extends NameOf<"counter">>(
  name: N,
  where: Where<LabelOf<N>> = {},
  range: string = RATE_WINDOW,
): Expression<LabelOf<N>> {
  const series = selector(name, where);
  return expression(`(${series} unless ${series} offset ${range} or increase(${series}[${range}]) > 0)`, name);
}

/** Observations of a histogram in a second: of one that is observed once a turn, the turns. */
export function observations<N extends NameOf<"histogram">>(
  name: N,
  where: Where<LabelOf<N>> = {},
): Expression<LabelOf<N>> {
  return expression(`rate(${selector(name, where, "_count")}[${RATE_WINDOW}])`, name);
}

/** What a histogram's observations came to in a second. */
export function observed<N extends NameOf<"histogram">>(
  name: N,
  where: Where<LabelOf<N>> = {},
): Expression<LabelOf<N>> {
  return expression(`rate(${selector(name, where, "_sum")}[${RATE_WINDOW}])`, name);
}

/** A quantile of a histogram, 0 to 1. */
export function quantile<N extends NameOf<"histogram">, const By extends LabelOf<N> = never>(
  share: number,
  name: N,
  by: readonly By[] = [],
  where: Where<LabelOf<N>> = {},
): Expression<By> {
  const rates = `rate(${selector(name, where, "_bucket")}[${RATE_WINDOW}])`;
  return expression(`histogram_quantile(${share}, sum by (${["le", ...by].join(", ")}) (${rates}))`, name);
}

/** Mean of a histogram's observations. */
export function mean<N extends NameOf<"histogram">, const By extends LabelOf<N> = never>(
  name: N,
  by: readonly By[] = [],
  where: Where<LabelOf<N>> = {},
): Expression<By> {
  return over(sum(observed(name, where), ...by), sum(observations(name, where), ...by));
}

/** Mean of the observations of a fixed range, such as an hour, to compare with. */
export function meanOf<N extends NameOf<"histogram">, const By extends LabelOf<N> = never>(
  range: string,
  name: N,
  by: readonly By[] = [],
): Expression<By> {
  const within = (suffix: string) => expression<LabelOf<N>>(`increase(${selector(name, {}, suffix)}[${range}])`, name);
  return over(sum(within("_sum"), ...by), sum(within("_count"), ...by));
}

/** Observations between two points, by bucket: what a heatmap draws. */
export function buckets<N extends NameOf<"histogram">>(name: N, where: Where<LabelOf<N>> = {}): Expression<"le"> {
  return expression(`sum by (le) (increase(${selector(name, where, "_bucket")}[${RATE_WINDOW}]))`, name);
}

/** Share of a histogram's observations that are at most a bound; the bound must be one of its buckets. */
export function shareUpTo<N extends NameOf<"histogram">>(bound: number, name: N): Expression<never> {
  // Prometheus 3 writes whole bounds with a decimal, Prometheus 2 as they come.
  const le = { le: matching(Number.isInteger(bound) ? `${bound}|${bound}\\.0` : `${bound}`.replace(".", "\\.")) };
  const below = expression<never>(`sum(rate(${selector(name, le, "_bucket")}[${RATE_WINDOW}]))`, name);
  return over(below, sum(observations(name)));
}

function aggregated(operator: string, { text }: Expression, by: readonly string[]): string {
  return by.length === 0 ? `${operator}(${text})` : `${operator} by (${by.join(", ")}) (${text})`;
}

export function sum<L extends string, const By extends L = never>(of: Expression<L>, ...by: By[]): Expression<By> {
  return expression(aggregated("sum", of, by), of);
}

export function max<L extends string, const By extends L = never>(of: Expression<L>, ...by: By[]): Expression<By> {
  return expression(aggregated("max", of, by), of);
}

export function min<L extends string, const By extends L = never>(of: Expression<L>, ...by: By[]): Expression<By> {
  return expression(aggregated("min", of, by), of);
}

/** No such series yet reads 0: a counter that has not counted is not there. */
export function orZero(of: Expression<never>): Expression<never> {
  return expression(`(${of.text} or vector(0))`, of);
}

/** A quotient, absent where the divisor is 0, so that a panel can say "No traffic" in place of NaN. */
export function over<L extends string>(above: Expression<L>, below: Expression<L>): Expression<L> {
  return expression(`${above.text} / (${below.text} > 0)`, above, below);
}

/** Share of failures among all: 0 where nothing failed, absent where nothing happened. */
export function share(some: Expression<never>, all: Expression<never>): Expression<never> {
  return over(orZero(some), all);
}

/** An expression of its own making; its metrics are given by those that it is put together from. */
export function put<L extends string = never>(text: string, ...of: readonly (string | Expression)[]): Expression<L> {
  return expression(text, ...of);
}
