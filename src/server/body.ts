import type { IncomingMessage } from "node:http";
import { ContextdError } from "../model/errors.ts";
import { Refusal } from "./refusals.ts";

export interface BodyLimits {
  /** Bytes of one body. */
  readonly bodyBytes: number;
  /** Bytes of all bodies that are being received at one time: a crowd of slow senders must not fill the memory. */
  readonly totalBytes: number;
}

/** Receives request bodies within bounds. */
export class BodyReader {
  readonly #limits: BodyLimits;
  #receiving = 0;

  constructor(limits: BodyLimits) {
    this.#limits = limits;
  }

  /**
   * The whole body. Rejects with Refusal `payload_too_large` (at once where the length is declared) or `bad_request`
   * (cut off), or ContextdError `overloaded`; the rest of the body is then unread.
   */
  read(request: IncomingMessage): Promise<Buffer> {
    const { bodyBytes, totalBytes } = this.#limits;
    if (Number(request.headers["content-length"] ?? 0) > bodyBytes) return Promise.reject(tooLarge(bodyBytes));
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let received = 0;
      const settle = (finish: () => void): void => {
        this.#receiving -= received;
        request.off("data", onData).off("end", onEnd).off("error", onCut).off("close", onCut);
        finish();
      };
      const refuse = (error: Error): void => {
        request.pause();
        settle(() => reject(error));
      };
      const onData = (chunk: Buffer): void => {
        received += chunk.length;
        this.#receiving += chunk.length;
        chunks.push(chunk);
        if (received > bodyBytes) refuse(tooLarge(bodyBytes));
        else if (this.#receiving > totalBytes) {
          refuse(new ContextdError("overloaded", "Too many bodies are being received: wait and call again."));
        }
      };
      const onEnd = (): void =>
        settle(() => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
      const onCut = (): void => settle(() => reject(new Refusal("bad_request", "The body was cut off.")));
      request.on("data", onData).on("end", onEnd).on("error", onCut).on("close", onCut);
    });
  }
}

function tooLarge(limit: number): Refusal {
  return new Refusal("payload_too_large", `The body is over the limit of ${limit} bytes.`);
}

/** Throws Refusal unless the headers announce unencoded JSON in UTF-8. */
export function requireJson(headers: IncomingMessage["headers"]): void {
  const type = headers["content-type"];
  // The common spelling first: this runs for every hook.
  if (type !== "application/json" && !isJsonType(type)) {
    throw new Refusal(
      "unsupported_media_type",
      "The body must be sent with `Content-Type: application/json`, in UTF-8.",
    );
  }
  const encoding = headers["content-encoding"];
  if (encoding !== undefined && encoding.toLowerCase() !== "identity") {
    throw new Refusal("unsupported_media_type", "The body must be sent unencoded: no Content-Encoding is taken.", {
      "Accept-Encoding": "identity",
    });
  }
}

function isJsonType(type: string | undefined): boolean {
  if (type === undefined) return false;
  const [essence, ...parameters] = type.toLowerCase().split(";");
  if (essence?.trim() !== "application/json") return false;
  return parameters.every((parameter) => {
    const [name, value] = parameter.split("=");
    return name?.trim() !== "charset" || /^"?utf-?8"?$/.test((value ?? "").trim());
  });
}
