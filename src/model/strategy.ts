import type { z } from "zod";

/**
 * A plug-in before its options are known: a scorer, a compression method, a health rule, a sink.
 * `configure` validates the user's options and hides their type, so that a registry is a literal object.
 */
export interface Strategy<T> {
  readonly summary: string;
  /** JSON Schema source of the options, for validation, documentation and editors. */
  readonly options: z.ZodType;
  /** Throws z.ZodError when the options do not fit. */
  configure(options: unknown): T;
}

/** Makes a strategy of an options schema (a `z.strictObject` whose members have defaults) and a constructor. */
export function strategy<Schema extends z.ZodType, T>(
  summary: string,
  options: Schema,
  build: (options: z.output<Schema>) => T,
): Strategy<T> {
  return {
    summary,
    options,
    configure: (given) => build(options.parse(given ?? {})),
  };
}

/** A registry: strategies by the name that a config uses. */
export type Registry<T> = Readonly<Record<string, Strategy<T>>>;
