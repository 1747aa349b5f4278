import { createHash } from "node:crypto";
import { readFile, stat } from "node:fs/promises";
import { z } from "zod";
import type { Log } from "../model/log.ts";
import { SCOPES, type Scope } from "../rpc/scope.ts";
import { SetupError } from "./options.ts";

/** Bits of chance that a token must be able to hold. */
const MIN_BITS = 128;
/** Characters that differ in a token, at least: a run of one letter is no secret. */
const MIN_DISTINCT = 8;

/** One token of the file. Several may have one name and tenant, so that a new one works before the old one goes. */
export interface TokenEntry {
  readonly name: string;
  readonly tenant: string;
  readonly scopes: readonly Scope[];
  /** SHA-256 of the token's UTF-8 bytes. */
  readonly digest: Buffer;
}

const name = z.string().regex(/^[A-Za-z0-9][\w.-]{0,63}$/);
const entrySchema = z
  .strictObject({
    name,
    tenant: name,
    scopes: z.array(z.enum(SCOPES)).min(1),
    token_sha256: z
      .string()
      .regex(/^[0-9a-fA-F]{64}$/)
      .optional(),
    token: z.string().optional(),
  })
  .refine((entry) => (entry.token === undefined) !== (entry.token_sha256 === undefined), {
    message: "takes exactly one of token_sha256 and token",
  })
  .refine((entry) => entry.token === undefined || isStrong(entry.token), {
    path: ["token"],
    message: `is too weak: it must hold ${MIN_BITS} bits of chance, such as 32 random bytes in base64url`,
  });
const listSchema = z.array(entrySchema).min(1);
const fileSchema = z.strictObject({ tokens: listSchema });

/**
 * The entries of a tokens file's content: a list, or a list under `tokens`, each `{name, tenant, scopes,
 * token_sha256 | token}`. Throws SetupError naming the entry and the fault, never a token.
 */
export function readTokenEntries(content: unknown): TokenEntry[] {
  const parsed = Array.isArray(content) ? listSchema.safeParse(content) : fileSchema.safeParse(content);
  if (!parsed.success) throw notValid(parsed.error.issues[0] as z.core.$ZodIssue);
  const entries = Array.isArray(parsed.data) ? parsed.data : parsed.data.tokens;
  const seen = new Set<string>();
  return entries.map((entry, position) => {
    const digest = entry.token === undefined ? Buffer.from(entry.token_sha256 as string, "hex") : digestOf(entry.token);
    const key = digest.toString("hex");
    if (seen.has(key)) throw new SetupError(`the tokens file has the token of entry ${position + 1} twice`);
    seen.add(key);
    return { name: entry.name, tenant: entry.tenant, scopes: entry.scopes, digest };
  });
}

export function digestOf(token: string): Buffer {
  return createHash("sha256").update(token, "utf8").digest();
}

/** Reads and checks a tokens file; `parse` makes values of its text (YAML or JSON). Warns when others may read it. */
export async function readTokensFile(
  path: string,
  dependencies: { readonly parse: (text: string) => unknown; readonly log: Log },
): Promise<TokenEntry[]> {
  let text: string;
  try {
    const { mode } = await stat(path);
    if ((mode & 0o077) !== 0) {
      const shown = (mode & 0o777).toString(8);
      dependencies.log.warn({ path, mode: shown }, "other users may read the tokens file: chmod 600 it");
    }
    text = await readFile(path, "utf8");
  } catch (cause) {
    throw new SetupError(`the tokens file ${path} cannot be read: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
  let content: unknown;
  try {
    content = dependencies.parse(text);
  } catch {
    // A parser's message quotes what it read, and that may be a token.
    throw new SetupError(`the tokens file ${path} cannot be parsed: it is neither YAML nor JSON`);
  }
  return readTokenEntries(content);
}

/** An upper bound of the chance in a token by its alphabet; enough to refuse what can be guessed. */
function isStrong(token: string): boolean {
  const bitsPerCharacter = /^[0-9]+$/.test(token) ? 3.3 : /^[0-9a-fA-F]+$/.test(token) ? 4 : 6;
  return token.length * bitsPerCharacter >= MIN_BITS && new Set(token).size >= MIN_DISTINCT;
}

/** An unknown member is not named: a token in the wrong column would be. */
function notValid(issue: z.core.$ZodIssue): SetupError {
  const fault =
    issue.code === "unrecognized_keys"
      ? `a member that is not one of ${Object.keys(entrySchema.shape).join(", ")}`
      : issue.message;
  return new SetupError(`the tokens file is not valid at ${placeOf(issue.path)}: ${fault}`);
}

function placeOf(path: readonly PropertyKey[]): string {
  if (path.length === 0) return "the top (a list of tokens)";
  return path.map((step) => (typeof step === "number" ? `entry ${step + 1}` : String(step))).join(", ");
}
