import { shortType } from "../../app/event-words.js";

/** What the events of the tail are about, as its filter has them. */
export const KINDS = {
  zone: "Zones",
  edit: "Edits",
  overflow: "Overflows",
  alert: "Alerts",
  window: "Windows",
  again: "Needed again",
  growth: "Growth, budgets",
  note: "Notes, tasks",
  session: "Sessions",
  daemon: "The daemon",
};

/** By the first word of an event's type. */
const KIND_OF = {
  zone: "zone",
  history: "edit",
  provider: "edit",
  block: "edit",
  compaction: "edit",
  summary: "edit",
  results: "edit",
  fidelity: "edit",
  overflow: "overflow",
  alert: "alert",
  window: "window",
  checkpoint: "window",
  bootstrap: "window",
  regret: "again",
  recall: "again",
  velocity: "growth",
  budget: "growth",
  floor: "growth",
  note: "note",
  task: "note",
  constraint: "note",
  session: "session",
  delegation: "session",
};

export function kindOf(event) {
  const [word] = shortType(event.type).split(".");
  return KIND_OF[word] ?? "daemon";
}

/** Where an event leads: its pass, its alert, its session at its turn; an event of the daemon itself to the system. */
export function addressOfEvent(event, href) {
  const { subject, data } = event;
  if (subject === undefined || subject === null) return href(["system"]);
  if (typeof data.pass_id === "string") {
    return href(["session", subject, "decision", data.pass_id], { block: data.block_id });
  }
  return href(["session", subject], { alert: data.alert, turn: data.turn });
}
