import { resolve } from "node:path";
import { type Config, resolveSettings, type SessionSettings } from "./config/index.ts";
import { CopyWriter, checkpointCopies, type NoteForPeople, notesCopy } from "./copies/index.ts";
import type { Logger } from "./log.ts";
import { checkpointGet } from "./manager/commands/checkpoint-get.ts";
import { noteList } from "./manager/commands/note-list.ts";
import type { ContextManager } from "./manager/manager.ts";
import type { SessionKey } from "./model/session-key.ts";
import type { CheckpointDocument } from "./window/checkpoint/index.ts";

/** The files for people, as the config in effect names them, of what the manager's sessions hold. */
export function openCopies(current: () => Config, manager: ContextManager, log: Logger): CopyWriter {
  const settings = (profile: string) => settingsOf(current(), profile);
  return new CopyWriter({
    copies: [
      notesCopy({
        fileOf: (profile) => copyFile(settings(profile).compression.notes_file),
        notesOf: (key) => notesOf(manager, key),
      }),
      ...checkpointCopies({
        stateFileOf: (profile) => copyFile(settings(profile).cross_window.state_file),
        progressFileOf: (profile) => copyFile(settings(profile).cross_window.progress_file),
        documentOf: (key, checkpointId) => documentOf(manager, key, checkpointId),
      }),
    ],
    log,
  });
}

/** Settings of the config, under the profile: sessions have no say in what is written where. */
function settingsOf(config: Config, profile: string): Pick<SessionSettings, "compression" | "cross_window"> {
  return Object.hasOwn(config.profiles, profile) ? resolveSettings(config, profile) : config;
}

function copyFile(file: string | null): string | null {
  return file === null ? null : resolve(file);
}

async function notesOf(manager: ContextManager, { tenant, id }: SessionKey): Promise<readonly NoteForPeople[]> {
  const params = { session_id: id };
  const { notes } = await manager.execute<{ notes: NoteForPeople[] }>(noteList, { tenant, traceparent: null }, params);
  return notes;
}

async function documentOf(manager: ContextManager, { tenant, id }: SessionKey, checkpointId: string) {
  const params = { session_id: id, checkpoint_id: checkpointId, format: "json" };
  type Answer = { readonly document: CheckpointDocument };
  const { document } = await manager.execute<Answer>(checkpointGet, { tenant, traceparent: null }, params);
  return document;
}
