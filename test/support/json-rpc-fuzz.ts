/**
 * Messages that try a JSON-RPC server: well formed, malformed in one way, or just bytes. Deterministic: the same seed
 * gives the same messages in the same order.
 */
export interface FuzzMessage {
  /** Kind of the message, for the report of a failure. */
  readonly kind: string;
  readonly bytes: Buffer;
  /**
   * What a server that keeps to the specification answers, where the kind alone tells it: codes in order (0 for a
   * result), `null` for no reply at all. Absent: only that any answer is proper.
   */
  readonly expected?: { readonly batch: boolean; readonly codes: readonly number[] } | null;
}

export interface FuzzRegistry {
  /** Methods that may be called by a fuzzer, with params that fit. */
  readonly calls: readonly { readonly method: string; readonly params: object }[];
  readonly maxBatch: number;
  readonly maxDepth: number;
}

export type Random = () => number;

/** mulberry32: small, fast, and the same everywhere. */
export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

export function* jsonRpcFuzz(registry: FuzzRegistry, count: number, seed: number): Generator<FuzzMessage> {
  const fuzzer = new Fuzzer(registry, seeded(seed));
  for (let made = 0; made < count; made++) yield fuzzer.next();
}

const PARSE_ERROR = -32700;
const INVALID_REQUEST = -32600;
const METHOD_NOT_FOUND = -32601;
const INVALID_PARAMS = -32602;

const one = (code: number): FuzzMessage["expected"] => ({ batch: false, codes: [code] });

class Fuzzer {
  readonly #registry: FuzzRegistry;
  readonly #random: Random;
  readonly #kinds: readonly (readonly [
    weight: number,
    make: () => Omit<FuzzMessage, "bytes"> & { bytes: Buffer | string },
  ])[];
  readonly #total: number;

  constructor(registry: FuzzRegistry, random: Random) {
    this.#registry = registry;
    this.#random = random;
    this.#kinds = this.#makeKinds();
    this.#total = this.#kinds.reduce((sum, [weight]) => sum + weight, 0);
  }

  next(): FuzzMessage {
    let at = this.#random() * this.#total;
    const [, make] =
      this.#kinds.find(([weight]) => {
        at -= weight;
        return at < 0;
      }) ?? this.#kinds[0]!;
    const { bytes, ...rest } = make();
    return { ...rest, bytes: typeof bytes === "string" ? Buffer.from(bytes) : bytes };
  }

  #makeKinds(): (readonly [number, () => Omit<FuzzMessage, "bytes"> & { bytes: Buffer | string }])[] {
    const { maxBatch, maxDepth } = this.#registry;
    const request = (): string => JSON.stringify(this.#request());
    return [
      [40, () => ({ kind: "call", bytes: request(), expected: one(0) })],
      [10, () => ({ kind: "call in white space", bytes: ` \t\r\n${request()}\n `, expected: one(0) })],
      [10, () => ({ kind: "notification", bytes: JSON.stringify(this.#request({ id: undefined })), expected: null })],
      [40, () => ({ kind: "truncated", bytes: this.#truncated(request()), expected: one(PARSE_ERROR) })],
      [40, () => ({ kind: "bytes flipped", bytes: this.#flipped(Buffer.from(request())) })],
      [20, () => ({ kind: "characters moved", bytes: this.#shuffled(request()) })],
      [20, () => ({ kind: "bad UTF-8", bytes: this.#badUtf8(), expected: one(PARSE_ERROR) })],
      [20, () => ({ kind: "random bytes", bytes: this.#bytes(1 + this.#below(200)) })],
      [10, () => ({ kind: "byte order mark", bytes: `\ufeff${request()}`, expected: one(PARSE_ERROR) })],
      [5, () => ({ kind: "UTF-16", bytes: Buffer.from(request(), "utf16le"), expected: one(PARSE_ERROR) })],
      [10, () => ({ kind: "NUL in the text", bytes: `${request()}\0`, expected: one(PARSE_ERROR) })],
      [10, () => ({ kind: "NUL in a string", bytes: JSON.stringify(this.#request({ id: "a\0b" })), expected: one(0) })],
      [5, () => ({ kind: "empty", bytes: this.#pick(["", " ", "\n\n", "\t"]), expected: one(PARSE_ERROR) })],
      [20, () => ({ kind: "two texts", bytes: request() + request(), expected: one(PARSE_ERROR) })],
      [20, () => ({ kind: "duplicate keys", ...this.#duplicateKeys() })],
      [20, () => ({ kind: "__proto__", ...this.#proto() })],
      [30, () => ({ kind: "id", ...this.#anyId() })],
      [30, () => ({ kind: "jsonrpc", ...this.#version() })],
      [30, () => ({ kind: "method", ...this.#method() })],
      [30, () => ({ kind: "params", ...this.#params() })],
      [20, () => ({ kind: "no request", bytes: this.#noRequest(), expected: one(INVALID_REQUEST) })],
      [20, () => ({ kind: "deep enough", ...this.#nested(2 + this.#below(maxDepth - 3)) })],
      [20, () => ({ kind: "too deep", ...this.#nested(maxDepth + 1 + this.#below(100)) })],
      [0.3, () => ({ kind: "depth 1e5", ...this.#nested(100_000) })],
      [
        0.3,
        () => ({
          kind: "depth 1e5, open",
          bytes: this.#pick(["[", '{"a":']).repeat(1e5),
          expected: one(INVALID_REQUEST),
        }),
      ],
      [10, () => ({ kind: "batch of 0", bytes: this.#pick(["[]", "[ ]", " [\n] "]), expected: one(INVALID_REQUEST) })],
      [20, () => ({ kind: "batch of 1", ...this.#batch(1) })],
      [20, () => ({ kind: "batch", ...this.#batch(2 + this.#below(5)) })],
      [1, () => ({ kind: "batch of the most", ...this.#batch(maxBatch) })],
      [1, () => ({ kind: "batch of one too many", ...this.#batch(maxBatch + 1) })],
      [0.2, () => ({ kind: "batch of 1e5", bytes: `[${"1,".repeat(99_999)}1]`, expected: one(INVALID_REQUEST) })],
      [
        10,
        () => ({
          kind: "batch in a batch",
          bytes: `[[${request()}],[]]`,
          expected: { batch: true, codes: [INVALID_REQUEST, INVALID_REQUEST] },
        }),
      ],
      [
        10,
        () => ({
          kind: "batch of notifications",
          bytes: JSON.stringify([this.#request({ id: undefined }), this.#request({ id: undefined })]),
          expected: null,
        }),
      ],
      [
        5,
        () => ({
          kind: "long string",
          bytes: JSON.stringify(this.#request({ id: '\\"'.repeat(this.#below(20_000)) })),
          expected: one(0),
        }),
      ],
      [
        5,
        () => ({
          kind: "lone surrogate",
          bytes: this.#requestWith("id", '"\\ud800"'),
        }),
      ],
      [
        5,
        () => ({
          kind: "number",
          bytes: this.#pick(["1e999", "-0", "01", "1.", ".5", "+1", "0x10", "NaN", "Infinity", "-", "1e"]),
        }),
      ],
    ];
  }

  #call(): FuzzRegistry["calls"][number] {
    return this.#pick(this.#registry.calls);
  }

  #request(changes: Record<string, unknown> = {}): Record<string, unknown> {
    const { method, params } = this.#call();
    return { jsonrpc: "2.0", id: this.#below(1000), method, params, ...changes };
  }

  /** A request with one member given as JSON text, so that it may be what JSON.stringify would not write. */
  #requestWith(member: string, text: string): string {
    const { [member]: _, ...rest } = this.#request();
    return `${JSON.stringify(rest).slice(0, -1)},"${member}":${text}}`;
  }

  #truncated(text: string): string {
    return text.slice(0, this.#below(text.length));
  }

  #flipped(bytes: Buffer): Buffer {
    for (let flips = 1 + this.#below(4); flips > 0; flips--) bytes[this.#below(bytes.length)] = this.#below(256);
    return bytes;
  }

  #shuffled(text: string): string {
    const from = this.#below(text.length);
    const length = this.#below(10);
    const rest = text.slice(0, from) + text.slice(from + length);
    const to = this.#below(rest.length + 1);
    return rest.slice(0, to) + text.slice(from, from + length) + rest.slice(to);
  }

  #badUtf8(): Buffer {
    const bad = this.#pick([
      [0x80],
      [0xc0, 0xaf],
      [0xed, 0xa0, 0x80],
      [0xf8, 0x88],
      [0xff],
      [0xe6, 0xbc],
      [0xf4, 0x90, 0x80, 0x80],
    ]);
    const text = Buffer.from(JSON.stringify(this.#request()));
    const at = this.#below(text.length + 1);
    return Buffer.concat([text.subarray(0, at), Buffer.from(bad), text.subarray(at)]);
  }

  #duplicateKeys(): { bytes: string; expected: FuzzMessage["expected"] } {
    const known = JSON.stringify(this.#call().method);
    return this.#pick([
      { bytes: this.#requestWith("method", `"none","method":${known},"params":{}`), expected: undefined },
      { bytes: this.#requestWith("jsonrpc", '"1.0","jsonrpc":"2.0"'), expected: one(0) },
      { bytes: this.#requestWith("jsonrpc", '"2.0","jsonrpc":"1.0"'), expected: one(INVALID_REQUEST) },
      { bytes: this.#requestWith("id", '[],"id":5'), expected: one(0) },
    ]);
  }

  #proto(): { bytes: string; expected: FuzzMessage["expected"] } {
    const poison = '{"polluted":true,"jsonrpc":"2.0","method":"none","id":[]}';
    return this.#pick([
      { bytes: this.#requestWith("__proto__", poison), expected: one(0) },
      { bytes: this.#requestWith("constructor", `{"prototype":${poison}}`), expected: one(0) },
      { bytes: `{"__proto__":${JSON.stringify(this.#request())}}`, expected: one(INVALID_REQUEST) },
      { bytes: this.#requestWith("params", `{"__proto__":${poison}}`), expected: one(INVALID_PARAMS) },
      { bytes: this.#requestWith("method", '"__proto__"'), expected: one(METHOD_NOT_FOUND) },
      { bytes: this.#requestWith("method", '"hasOwnProperty"'), expected: one(METHOD_NOT_FOUND) },
    ]);
  }

  #anyId(): { bytes: string; expected: FuzzMessage["expected"] } {
    const good = ["0", "-1", "1.5", '""', '"a"', "null", "9007199254740991", '"\\u0000"', '"漢😀"', "1e3", "-0"];
    const bad = [
      "true",
      "false",
      "{}",
      "[]",
      "[1]",
      '{"id":1}',
      "1e999",
      "-1e999",
      "9007199254740993",
      "123456789012345678901234567890",
    ];
    return this.#random() < 0.5
      ? { bytes: this.#requestWith("id", this.#pick(good)), expected: one(0) }
      : { bytes: this.#requestWith("id", this.#pick(bad)), expected: one(INVALID_REQUEST) };
  }

  #version(): { bytes: string; expected: FuzzMessage["expected"] } {
    const bad = ['"1.0"', '"2"', "2", "2.0", "null", "[]", '"2.0 "', '["2.0"]', '""'];
    if (this.#random() < 0.2) {
      const { jsonrpc: _, ...rest } = this.#request();
      return { bytes: JSON.stringify(rest), expected: one(INVALID_REQUEST) };
    }
    return { bytes: this.#requestWith("jsonrpc", this.#pick(bad)), expected: one(INVALID_REQUEST) };
  }

  #method(): { bytes: string; expected: FuzzMessage["expected"] } {
    const wrong = ["1", "null", "true", "[]", "{}", '["echo"]'];
    const unknown = ['""', '"none"', '"rpc.none"', '"toString"', '"\\u0000"', `"${"m".repeat(this.#below(5000))}"`];
    return this.#random() < 0.5
      ? { bytes: this.#requestWith("method", this.#pick(wrong)), expected: one(INVALID_REQUEST) }
      : { bytes: this.#requestWith("method", this.#pick(unknown)), expected: one(METHOD_NOT_FOUND) };
  }

  #params(): { bytes: string; expected: FuzzMessage["expected"] } {
    const scalar = ["1", '"x"', "true", "null", "-0.5"];
    const wrong = ["[]", "[1,2]", '[{"a":1}]', '{"no such parameter":1}', `{"${"k".repeat(300)}":null}`];
    return this.#random() < 0.4
      ? { bytes: this.#requestWith("params", this.#pick(scalar)), expected: one(INVALID_REQUEST) }
      : { bytes: this.#requestWith("params", this.#pick(wrong)), expected: one(INVALID_PARAMS) };
  }

  #noRequest(): string {
    return this.#pick([
      "0",
      "-1.5e3",
      '"text"',
      "null",
      "true",
      "false",
      "{}",
      '{"a":1}',
      '{"method":null}',
      '{"id":1,"result":1}',
    ]);
  }

  /** A request whose extra member nests so deep that the whole message has `depth` levels. */
  #nested(depth: number): { bytes: string; expected: FuzzMessage["expected"] } {
    const levels = depth - 1;
    const text =
      this.#random() < 0.5
        ? "[".repeat(levels) + "]".repeat(levels)
        : `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
    return {
      bytes: this.#requestWith("extra", text),
      expected: one(depth > this.#registry.maxDepth ? INVALID_REQUEST : 0),
    };
  }

  #batch(size: number): { bytes: string; expected: FuzzMessage["expected"] } {
    const codes: number[] = [];
    const items = Array.from({ length: size }, () => {
      const choice = this.#below(5);
      if (choice === 0) return JSON.stringify(this.#request({ id: undefined }));
      codes.push([0, 0, 0, INVALID_REQUEST, METHOD_NOT_FOUND][choice] as number);
      if (choice === 3) return this.#noRequest();
      return choice === 4 ? this.#requestWith("method", '"none"') : JSON.stringify(this.#request());
    });
    const bytes = `[${items.join(",")}]`;
    if (size > this.#registry.maxBatch) return { bytes, expected: one(INVALID_REQUEST) };
    return { bytes, expected: codes.length === 0 ? null : { batch: true, codes } };
  }

  #bytes(length: number): Buffer {
    return Buffer.from(Array.from({ length }, () => this.#below(256)));
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #pick<T>(choices: readonly T[]): T {
    return choices[this.#below(choices.length)] as T;
  }
}
