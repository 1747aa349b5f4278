import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** How the collector behaves on one request. */
export type CollectorAnswer = "ok" | "hang" | "reset" | number | { readonly rejected: number | string };

/** A span as it came, its attributes by name. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly flags: number;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly status: { readonly code?: number };
  readonly attributes: Readonly<Record<string, unknown>>;
}

interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly answered: CollectorAnswer;
  readonly spans: readonly ReceivedSpan[];
  readonly resource: Readonly<Record<string, unknown>>;
  /** Where the body is not what protobuf's JSON mapping, as OTLP has it, makes of an ExportTraceServiceRequest. */
  readonly findings: readonly string[];
}

/** An OTLP/HTTP collector on the loopback that is strict about its JSON. Ends with its scope. */
export class FakeCollector {
  readonly requests: ReceivedRequest[] = [];
  readonly #server: Server;
  readonly #watchers = new Set<() => void>();

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(answerTo: (index: number) => CollectorAnswer = () => "ok"): Promise<FakeCollector> {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      const answer = answerTo(collector.requests.length);
      const { url: path = "", headers } = request;
      collector.requests.push({ path, headers, answered: answer, ...readRequest(body) });
      if (answer === "reset") response.socket?.resetAndDestroy();
      else if (answer === "ok") response.writeHead(200).end("{}");
      else if (typeof answer === "number") response.writeHead(answer).end();
      else if (typeof answer === "object") {
        response.writeHead(200).end(JSON.stringify({ partialSuccess: { rejectedSpans: answer.rejected } }));
      }
      for (const look of [...collector.#watchers]) look();
    });
    const collector: FakeCollector = new FakeCollector(server);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return collector;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Spans of all requests that were answered with success. */
  get spans(): ReceivedSpan[] {
    return this.requests.filter(({ answered }) => answered === "ok").flatMap(({ spans }) => spans);
  }

  get findings(): string[] {
    return this.requests.flatMap(({ findings }) => findings);
  }

  /** Resolves when what has come so far is enough. */
  async until(enough: () => boolean, ms = 30_000): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (!enough()) return;
        clearTimeout(timer);
        this.#watchers.delete(look);
        resolve();
      };
      const timer = setTimeout(() => reject(new Error(`only ${this.requests.length} requests within ${ms} ms`)), ms);
      this.#watchers.add(look);
      look();
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

type Check = (value: unknown) => boolean;
type Shape = Readonly<Record<string, { readonly check: Check; readonly optional?: boolean }>>;

const isText: Check = (value) => typeof value === "string";
/** 64-bit integers are decimal strings. */
const isInt64: Check = (value) => typeof value === "string" && /^-?\d{1,19}$/.test(value);
const isFixed64: Check = (value) => typeof value === "string" && /^[1-9]\d{18}$/.test(value);
const isEnum: Check = (value) => Number.isInteger(value);
const isObject: Check = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isHex =
  (digits: number): Check =>
  (value) =>
    typeof value === "string" && new RegExp(`^(?!0+$)[0-9a-f]{${digits}}$`).test(value);

/** opentelemetry/proto/trace/v1/trace.proto, `message Span`, the fields that we send. */
const SPAN: Shape = {
  traceId: { check: isHex(32) },
  spanId: { check: isHex(16) },
  parentSpanId: { check: isHex(16), optional: true },
  flags: { check: (value) => Number.isInteger(value) && (value as number) < 2 ** 32 },
  name: { check: (value) => isText(value) && value !== "" },
  kind: { check: (value) => isEnum(value) && (value as number) >= 1 && (value as number) <= 5 },
  startTimeUnixNano: { check: isFixed64 },
  endTimeUnixNano: { check: isFixed64 },
  attributes: { check: Array.isArray },
  status: { check: isObject },
};
/** common.proto, `message AnyValue`: exactly one of these. */
const VALUES: Readonly<Record<string, Check>> = {
  stringValue: isText,
  boolValue: (value) => typeof value === "boolean",
  intValue: isInt64,
  doubleValue: (value) => typeof value === "number",
};

// biome-ignore lint/suspicious/noExplicitAny: what came is judged here.
type Received = any;

function readRequest(body: Received): Pick<ReceivedRequest, "spans" | "resource" | "findings"> {
  const findings: string[] = [];
  const spans: ReceivedSpan[] = [];
  let resource = {};
  findings.push(...strangers(body, ["resourceSpans"], "$"));
  for (const resourceSpans of body.resourceSpans ?? []) {
    findings.push(...strangers(resourceSpans, ["resource", "scopeSpans"], "resourceSpans"));
    resource = attributesOf(resourceSpans.resource?.attributes, findings);
    for (const scopeSpans of resourceSpans.scopeSpans ?? []) {
      findings.push(...strangers(scopeSpans, ["scope", "spans"], "scopeSpans"));
      for (const span of scopeSpans.spans ?? []) {
        findings.push(...strangers(span, Object.keys(SPAN), "span"));
        for (const [name, { check, optional }] of Object.entries(SPAN)) {
          const isThere = Object.hasOwn(span, name);
          if (isThere ? !check(span[name]) : optional !== true) findings.push(`span.${name}: ${span[name]}`);
        }
        findings.push(...strangers(span.status, ["code", "message"], "status"));
        if (BigInt(span.endTimeUnixNano) < BigInt(span.startTimeUnixNano)) findings.push("ends before it starts");
        spans.push({ ...span, attributes: attributesOf(span.attributes, findings) });
      }
    }
  }
  return { spans, resource, findings };
}

function attributesOf(list: Received, findings: string[]): Record<string, unknown> {
  return Object.fromEntries(
    (list ?? []).map(({ key, value, ...rest }: Received) => {
      const [kind = "", ...more] = Object.keys(value);
      const isSound = isText(key) && more.length === 0 && VALUES[kind]?.(value[kind]) === true;
      if (!isSound || Object.keys(rest).length > 0) findings.push(`attribute ${key}: ${JSON.stringify(value)}`);
      return [key, kind === "intValue" ? Number(value[kind]) : value[kind]];
    }),
  );
}

function strangers(value: object, known: readonly string[], where: string): string[] {
  return Object.keys(value)
    .filter((key) => !known.includes(key))
    .map((key) => `${where}: ${key} is unknown`);
}
