export type { CheckpointDocument } from "./document.ts";
export { bytesOf, checksumOf, taskHash } from "./hashes.ts";
export { type CheckpointFields, makeCheckpoint } from "./make.ts";
export { markdownOf } from "./markdown.ts";
export { checkpointJsonSchema } from "./published-schema.ts";
export { type Malformed, readCheckpoint } from "./read.ts";
export { type Refusal, refusalOf, type SessionStanding } from "./refusal.ts";
export { malformedSentence, notFoundSentence, sentenceOf } from "./sentences.ts";
