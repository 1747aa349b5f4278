import { z } from "zod";
import { baseUrl } from "../http.ts";
import { count, milliseconds, path, share } from "../quantities.ts";

/** Spans for a collector. */
export const otlp = z
  .strictObject({
    endpoint: baseUrl({ example: "http://localhost:4318", instead: "headers_file" })
      .nullable()
      .default(null)
      .describe("Collector that takes OTLP over HTTP, without /v1/traces; null: no spans are made.")
      .meta({ examples: ["http://localhost:4318"] }),
    headers_file: path()
      .nullable()
      .default(null)
      .describe("File of headers that go with each request, `Name: value` a line; read again before each one."),
    sample_ratio: share()
      .default(1)
      .describe("Share of the calls without a trace of their own that are told; a caller's own decision holds first."),
    timeout_ms: milliseconds(10).default(10_000).describe("Time for one request, in ms."),
    queue: count(1, 1_000_000).default(2_048).describe("Spans that may wait; further ones are dropped and counted."),
  })
  .prefault({})
  .describe("Traces, sent to an OpenTelemetry collector (OTLP/HTTP in JSON).")
  .meta({ "x-restart": true });
