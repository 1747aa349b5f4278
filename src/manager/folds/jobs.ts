import type { EventData } from "../../model/events.ts";
import { type Session, TEXTS_KEPT } from "../session.ts";
import type { Folds } from "./fold.ts";

/** Work that a model does for a later pass. */
export const jobsFolds = {
  "compaction.started": (session, data) => {
    session.jobs++;
    session.job = {
      id: data.job_id,
      kind: data.kind,
      blockIds: data.block_ids,
      inputs: data.inputs,
      turn: data.turn,
      status: "running",
      text: null,
    };
  },
  "summary.prepared": (session, data) => {
    if (session.job?.id === data.job_id) session.job = { ...session.job, status: "ready", text: data.text };
  },
  "summary.dropped": (session, data) => {
    if (session.job?.id === data.job_id) session.job = null;
  },
  "summary.failed": (session, data) => {
    if (session.job?.id !== data.job_id) return;
    if (session.job.kind === "results") endResults(session, data.job_id, []);
    else session.job = { ...session.job, status: "failed" };
  },
  "results.prepared": (session, data) => {
    endResults(session, data.job_id, data.texts);
  },
} satisfies Folds;

/** Keeps the texts that came, and which results there are none for: a model is asked once for what a result holds. */
function endResults(session: Session, jobId: string, texts: EventData["results.prepared"]["texts"]): void {
  const { job } = session;
  if (job?.id !== jobId) return;
  const given = new Map(texts.map(({ block_id, part_hash, text }) => [block_id, { partHash: part_hash, text }]));
  const kept = new Map(Object.entries(session.preparedTexts));
  for (const id of job.blockIds) {
    const block = session.blocks.get(id);
    if (!block) continue;
    kept.delete(id);
    kept.set(id, given.get(id) ?? { partHash: block.partHash, text: null });
  }
  session.preparedTexts = Object.fromEntries([...kept].slice(-TEXTS_KEPT));
  session.job = null;
}
