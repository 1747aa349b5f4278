import { PushError } from "./push-error.ts";

/** Who pushes: a service account's token, a user, or nobody where Grafana lets anybody in. */
export interface CredentialSettings {
  readonly token_file: string | null;
  readonly username: string | null;
  readonly password_file: string | null;
}

/** What may stand in a header. */
const VISIBLE = /^[\x21-\x7e]+$/;

/**
 * The headers that say who pushes, read from their files anew each time, so that a renewed secret holds at once. Throws
 * PushError `unauthorized` when a file cannot be read or holds no secret: nothing is sent then.
 */
export function authorization(
  { token_file, username, password_file }: CredentialSettings,
  readSecret: (file: string) => string,
): Record<string, string> {
  if (token_file !== null) {
    const token = secretOf(token_file, readSecret).trim();
    if (!VISIBLE.test(token)) throw new PushError("unauthorized");
    return { authorization: `Bearer ${token}` };
  }
  if (username === null || password_file === null) return {};
  const pair = Buffer.from(`${username}:${secretOf(password_file, readSecret)}`, "utf8");
  return { authorization: `Basic ${pair.toString("base64")}` };
}

function secretOf(file: string, readSecret: (file: string) => string): string {
  let secret: string;
  try {
    secret = readSecret(file);
  } catch {
    // Why is not passed on: it is told once, as any refusal of credentials, and the path is in the config.
    throw new PushError("unauthorized");
  }
  if (secret === "") throw new PushError("unauthorized");
  return secret;
}
