import type { JsonObject } from "../../model/json.ts";
import type { AttributeValue, Span } from "./span.ts";

/** SpanKind of opentelemetry/proto/trace/v1/trace.proto. OTLP's JSON writes enums as numbers. */
const KINDS = { internal: 1, server: 2 } as const;
/** StatusCode STATUS_CODE_ERROR. */
const STATUS_ERROR = 2;
/** SpanFlags: the trace is sampled; whether the parent is remote is known; it is. */
const FLAG_SAMPLED = 0x01;
const FLAG_HAS_REMOTE = 0x100;
const FLAG_REMOTE = 0x200;

export interface Resource {
  readonly attributes: Readonly<Record<string, AttributeValue>>;
  /** Name and version of what made the spans. */
  readonly scope: { readonly name: string; readonly version: string };
}

/**
 * An ExportTraceServiceRequest in protobuf's JSON mapping as OTLP has it (OTLP specification, "JSON Protobuf Encoding"):
 * names in lowerCamelCase, trace and span ids as hex instead of base64, 64-bit integers as decimal strings.
 */
export function encodeSpans(spans: readonly Span[], { attributes, scope }: Resource): JsonObject {
  return {
    resourceSpans: [
      {
        resource: { attributes: keyValues(attributes) },
        scopeSpans: [{ scope: { ...scope }, spans: spans.map(encodeSpan) }],
      },
    ],
  };
}

function encodeSpan(span: Span): JsonObject {
  const { parent } = span;
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(parent === null ? {} : { parentSpanId: parent.spanId }),
    flags: FLAG_SAMPLED | FLAG_HAS_REMOTE | (parent?.remote === true ? FLAG_REMOTE : 0),
    name: span.name,
    kind: KINDS[span.kind],
    startTimeUnixNano: nanoseconds(span.startMs),
    endTimeUnixNano: nanoseconds(Math.max(span.startMs, span.endMs)),
    attributes: keyValues(span.attributes),
    status: span.failed ? { code: STATUS_ERROR } : {},
  };
}

/** A double holds the milliseconds of today to a quarter of a microsecond, and not their nanoseconds: in two parts. */
function nanoseconds(ms: number): string {
  const whole = Math.floor(ms);
  return String(BigInt(whole) * 1_000_000n + BigInt(Math.floor((ms - whole) * 1_000)) * 1_000n);
}

function keyValues(attributes: Readonly<Record<string, AttributeValue | undefined>>): JsonObject[] {
  return Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: anyValue(value) }],
  );
}

function anyValue(value: AttributeValue): JsonObject {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
}
