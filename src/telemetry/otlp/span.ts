/** What a span's attribute holds. Whole numbers are told as integers, others as doubles. */
export type AttributeValue = string | number | boolean;

/** A span that is over. */
export interface Span {
  /** 32 lower case hex digits, not all zero. */
  readonly traceId: string;
  /** 16 lower case hex digits, not all zero. */
  readonly spanId: string;
  /** null: the root of its trace. */
  readonly parent: { readonly spanId: string; readonly remote: boolean } | null;
  readonly name: string;
  readonly kind: "internal" | "server";
  /** Wall time, ms since the epoch, with fractions. */
  readonly startMs: number;
  readonly endMs: number;
  /** Undefined values are left out. */
  readonly attributes: Readonly<Record<string, AttributeValue | undefined>>;
  /** The daemon failed; a caller's mistake is none. */
  readonly failed: boolean;
}
