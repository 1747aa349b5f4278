import type { HttpRequest } from "../../outbound/index.ts";
import type { WireName } from "../wire/index.ts";
import type { Endpoint, Prompt } from "../wire/wire.ts";

/** Asks the backend; the JSON of its answer, or undefined for anything but a success with JSON in it. Never rejects. */
export type Ask = (request: HttpRequest) => Promise<unknown>;

export interface Window {
  /** Input and output together, in tokens. */
  readonly tokens: number;
  /** False: the least that it can be; worth asking again soon. */
  readonly settled: boolean;
}

/** A kind of backend that tells its limits. Both methods give null when the backend is of another kind. */
export interface LimitsSource {
  readonly name: string;
  readonly api: WireName;
  /** The window that the model is served with. */
  window?(endpoint: Endpoint, ask: Ask): Promise<Window | null>;
  /** Tokens of a prompt, as the backend counts them. */
  count?(endpoint: Endpoint, prompt: Prompt, ask: Ask): Promise<number | null>;
}

/** The server's own paths stand beside the compatible API's `/v1`. */
export function besideVersion(baseUrl: string, path: string): URL {
  return new URL(`${baseUrl.replace(/\/v\d+$/, "")}${path}`);
}

export function bearer({ apiKey, headers }: Endpoint): Record<string, string> {
  return { ...(apiKey !== null && { authorization: `Bearer ${apiKey}` }), ...headers };
}
