export { type CheckpointCopiesDependencies, checkpointCopies } from "./checkpoint-copies.ts";
export { CopyWriter } from "./copy-writer.ts";
export { type NoteForPeople, notesCopy } from "./notes-copy.ts";
export { replaceFile } from "./replace-file.ts";
