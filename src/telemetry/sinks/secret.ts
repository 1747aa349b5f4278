import { ContextdError } from "../../model/errors.ts";
import { DeliveryError, type SinkDependencies } from "./sink.ts";

const ONE_WORD = /^[\x21-\x7e]{1,4096}$/;

/**
 * Reads a secret anew each time it is called, so that a renewed one holds at once. Reads it here once: throws
 * ContextdError `invalid_params` naming the setting. null where no file is named.
 */
export function secretReader(
  setting: string,
  file: string | null,
  { readSecretFile }: Pick<SinkDependencies, "readSecretFile">,
): () => string | null {
  if (file === null) return () => null;
  const read = (): string | undefined => {
    try {
      const secret = readSecretFile(file).trim();
      return ONE_WORD.test(secret) ? secret : undefined;
    } catch {
      return undefined;
    }
  };
  const path = `telemetry.${setting}`;
  if (read() === undefined) {
    throw new ContextdError("invalid_params", `${path} names no file that can be read and holds one word.`, { path });
  }
  return () => {
    const secret = read();
    // The file may be about to be replaced.
    if (secret === undefined)
      throw new DeliveryError(`${path} cannot be read`, { permanent: false, code: "no_secret" });
    return secret;
  };
}
