import { format, parse } from "node:path";
import { contentHash } from "../model/content-hash.ts";
import type { SessionKey } from "../model/session-key.ts";

/** Characters of a session's id that its file's name shows. */
const SHOWN_ID = 64;
/** Hex digits of the hash that keeps two sessions' files apart. */
const HASH = 12;

/** `notes.md` as `notes.<session>-<hash>.md`: the id, which an agent chose, is shown as far as a name can hold it. */
export function copyPath(file: string, { tenant, id }: SessionKey, extension: string): string {
  const { dir, name, ext } = parse(file);
  const shown = id.slice(0, SHOWN_ID).replace(/[^A-Za-z0-9_-]/g, "_");
  const hash = contentHash(JSON.stringify([tenant, id])).slice(0, HASH);
  return format({ dir, name: `${name}.${shown}-${hash}`, ext: ext === "" ? extension : ext });
}
