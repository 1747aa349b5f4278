import type { StreamEvent } from "../client/index.ts";
import type { EventData, EventType } from "../model/events.ts";
import { isLearned, type WindowOrigin } from "../model/window-source.ts";
import { ZONES, type Zone } from "../model/zone.ts";
import { COLOURS, count, painted, percent, SHAPES, tokens } from "./figures.ts";

const DIM = "2";
const LOST = "1;31";

/** Where a window's size comes from, when nobody told it. */
function origin(from: WindowOrigin): string {
  if (from === "guessed") return " (guessed)";
  return isLearned(from) ? ` (learned from ${from})` : "";
}

type Words = { readonly [T in EventType]: (data: EventData[T]) => string };

const WORDS: Words = {
  "session.opened": (d) =>
    `opened on ${d.model}, window ${tokens(d.max_context_tokens)}${origin(d.window_source.from)}, profile ${d.profile}`,
  "session.resumed": (d) => `resumed in window ${d.window_number}, turn ${d.turn}`,
  "session.configured": () => "reconfigured",
  "session.closed": (d) => `closed after ${count(d.turns, "turn")}: ${d.reason}`,
  "window.opened": (d) =>
    `window ${d.number} opened, ${tokens(d.max_tokens)} tokens` +
    `${d.checkpoint_id === null ? "" : `, from ${d.checkpoint_id} by ${d.cause}`}`,
  "window.closed": (d) => `window ${d.number} closed: ${d.reason}`,
  "turn.started": (d) => `turn ${d.turn} starts`,
  "turn.ended": (d) => `turn ${d.turn} ended${d.input_tokens === null ? "" : `, ${tokens(d.input_tokens)} tokens in`}`,
  "usage.anchored": (d) => `anchored at ${tokens(d.tokens)} (estimate ${tokens(d.raw_tokens)})`,
  "window.resized": (d) => `window is ${tokens(d.max_tokens)}, learned from ${d.learned_from}`,
  "pressure.measured": (d) =>
    `${percent(d.utilization)} of ${tokens(d.max_tokens)}, ${d.zone}` +
    `${d.velocity_tokens_per_turn === null ? "" : `, ${signed(d.velocity_tokens_per_turn)}/turn`}` +
    `${d.turns_until_red === null || d.zone === "red" ? "" : `, red in ${d.turns_until_red.toFixed(1)}`}`,
  "zone.changed": (d) => `${d.from} to ${d.to}, ${percent(d.utilization)} (${tokens(d.tokens)}), by ${d.cause}`,
  "velocity.spiked": (d) => `spike: ${signed(d.growth_tokens)} in one turn, usual ${tokens(d.baseline_tokens)}`,
  "status.changed": (d) => `status ${d.from} to ${d.to}`,
  "budget.soft_exceeded": (d) =>
    `${d.component} over its soft budget, ${tokens(d.used_tokens)} of ${tokens(d.limit_tokens)}`,
  "budget.hard_exceeded": (d) =>
    `${d.component} over its budget, ${tokens(d.used_tokens)} of ${tokens(d.limit_tokens)}`,
  "budget.recovered": (d) =>
    `${d.component} back within its ${d.state === "soft" ? "hard" : "soft"} budget, ${tokens(d.used_tokens)}`,
  "message.added": (d) => `${d.role} message ${d.message_id}`,
  "message.extended": (d) => `message ${d.message_id} extended`,
  "block.added": (d) => `${d.type} ${d.block_id}, ${tokens(d.tokens)}`,
  "block.truncated": (d) =>
    `truncated ${d.block_id}, ${tokens(d.tokens_before)} to ${tokens(d.tokens_after)}, ${d.handle}`,
  "block.summarized": (d) =>
    `summarized ${d.tool_name ?? d.block_type} ${d.block_id}, ${tokens(d.tokens_before)} to ${tokens(d.tokens_after)}, ` +
    `${d.rule}, ${d.handle}`,
  "block.evicted": (d) =>
    `${d.method} ${d.tool_name ?? d.block_type} ${d.block_id}, ${signed(-d.tokens_freed)}, score ${d.score.toFixed(2)}, ` +
    `${d.rule}, ${d.handle}`,
  "summary.rewritten": (d) =>
    `summary folded by ${d.summarizer === "llm" ? "the model" : "extraction"}: ${d.facts} lines, ${d.tokens_after} tokens, generation ${d.generation}`,
  "compaction.started": (d) =>
    `${d.kind === "results" ? "shorter results" : "summary"} ${d.job_id} asked for: ${d.units} units, ${d.tokens} tokens`,
  "summary.prepared": (d) =>
    `summary ${d.job_id} is ready: ${d.tokens} tokens by ${d.model} in ${d.seconds.toFixed(1)} s`,
  "results.prepared": (d) =>
    `${count(d.results, "shorter result")} of ${d.job_id} ready: ${d.tokens} tokens by ${d.model} in ${d.seconds.toFixed(1)} s`,
  "summary.failed": (d) => `summary ${d.job_id} failed: ${d.reason}`,
  "summary.dropped": (d) => `summary ${d.job_id} is not used: ${d.reason}`,
  "block.merged": (d) => `merged ${d.block_id} into ${d.into_block_id}, ${signed(-d.tokens_freed)}, ${d.handle}`,
  "block.restored": (d) =>
    `brought back ${d.block_id}${d.into_block_id === d.block_id ? "" : ` in ${d.into_block_id}`}, ` +
    `${tokens(d.tokens_before)} to ${tokens(d.tokens_after)}`,
  "block.pinned": (d) => `pinned ${d.block_id}`,
  "block.unpinned": (d) => `unpinned ${d.block_id}`,
  "block.referenced": (d) => `${d.block_id} referenced, ${count(d.identifiers, "identifier")}`,
  "history.diverged": (d) => `the agent's history lost ${count(d.removed_messages, "message")}`,
  "message.removed": (d) => `message ${d.message_id} removed`,
  "provider.edited": (d) => `the provider edited the prompt: ${d.kind}, ${signed(-d.cleared_input_tokens)}`,
  "history.compacted": (d) =>
    `pass ${d.pass_id}: ${tokens(d.tokens_before)} to ${tokens(d.tokens_after)}, ${count(d.edits, "block")} edited, ${d.strategy}, by ${d.cause}`,
  "ledger.rebuilt": (d) =>
    `ledger of ${count(d.lines, "line")} from ${d.candidates}, ${tokens(d.tokens_after)}, ` +
    `${d.stable_kept ? "stable part kept" : "stable part renewed"}`,
  "fidelity.evaluated": (d) =>
    `pass ${d.pass_id} kept ${d.kept} of ${count(d.probes, "fact")}, ${percent(d.score)} as the mean over ${count(Object.keys(d.by_type).length, "kind")}, judged ${d.judge}` +
    `${d.below_floor ? ", below the floor" : ""}`,
  "note.written": (d) =>
    `note ${d.note_id} ${d.replaces === null ? "written" : "rewritten"}, ${d.category}, ${d.importance}`,
  "note.removed": (d) => `note ${d.note_id} removed`,
  "task.updated": (d) =>
    `task${d.subtasks === 0 ? " updated" : `: ${d.done} of ${count(d.subtasks, "subtask")} done`}${d.tool_name === null ? "" : `, by ${d.tool_name}`}`,
  "standing.rewritten": (d) =>
    `standing message: ${count(d.constraints, "rule")}, ${count(d.notes, "note")}, ${tokens(d.tokens_after)}`,
  "constraint.reinserted": (d) => `rule of the ${d.source} put back, ${d.block_id ?? "stated with the task"}`,
  "compaction.skipped": (d) => `no pass: ${d.reason}`,
  "compaction.failed": (d) => `pass failed: ${d.reason}, ${tokens(d.tokens_short)} short`,
  "floor.detected": (d) =>
    `floor: ${tokens(d.floor_tokens - d.reserve_tokens)} of ${tokens(d.max_tokens)} cannot be freed, ${tokens(d.reserve_tokens)} kept for the answer`,
  "overflow.reported": (d) =>
    `overflow${d.source === "stop_reason" ? " of the answer" : `, attempt ${d.attempt}`} by ${d.provider}` +
    `${d.reported_limit === null ? "" : `, window ${tokens(d.reported_limit)}`}`,
  "overflow.recovered": (d) =>
    `overflow recovered by ${d.action}, ${tokens(d.tokens_before)} to ${tokens(d.tokens_after)}`,
  "overflow.given_up": (d) =>
    `overflow given up (${d.reason}): floor ${tokens(d.floor_tokens)} of ${tokens(d.max_tokens)}`,
  "checkpoint.saved": (d) => `${d.checkpoint_id} saved at state version ${d.state_version}: ${d.reason}`,
  "checkpoint.rejected": (d) => `checkpoint rejected: ${d.reason}`,
  "checkpoint.restored": (d) => `${d.checkpoint_id} of window ${d.window_number} restored`,
  "bootstrap.verified": (d) => `bootstrap verified, ${d.passed} of ${count(d.checks, "check")}`,
  "regret.detected": (d) =>
    `regret: ${d.tool_name ?? d.block_type} ${d.block_id} needed again (${d.kind}), ${count(d.turns_since, "turn")} after ${d.policy} took it`,
  "recall.served": (d) => `recalled ${d.handle}, ${d.bytes} bytes`,
  "delegation.opened": (d) =>
    `delegated ${d.delegation_id} to ${d.child_session_id}, budget ${tokens(d.budget_tokens)}`,
  "delegation.closed": (d) =>
    `delegation ${d.delegation_id} ${d.status}, ${tokens(d.tokens_before)} to ${tokens(d.tokens_after)}` +
    `${d.ratio === null ? "" : `, ${d.ratio.toFixed(1)} to 1`}`,
  "alert.raised": (d) => `${d.severity} alert ${d.alert}: ${d.summary}`,
  "alert.resolved": (d) => `alert ${d.alert} resolved`,
  "config.reloaded": (d) => (d.successful ? "configuration taken over" : `configuration refused: ${d.detail}`),
};

/** Types whose line takes the colour of the zone it speaks of. */
function zoneOf(type: string, event: StreamEvent): Zone | null {
  const zone = type === "zone.changed" ? event.data["to"] : type === "pressure.measured" ? event.data["zone"] : null;
  return ZONES.find((name) => name === zone) ?? null;
}

/** One event as one line for people: time, shape, session, words. `colour` adds ANSI colours. */
export function eventLine(event: StreamEvent, colour: boolean): string {
  const type = event.type.replace(/^contextd\./, "").replace(/\.v\d+$/, "");
  const zone = zoneOf(type, event);
  const paint = (code: string, text: string): string => (colour ? painted(code, text) : text);
  const shape = zone === null ? "·" : paint(COLOURS[zone], SHAPES[zone]);
  const words = printable(wordsFor(type, event));
  const body = zone === null ? (type === "stream.resync" ? paint(LOST, words) : words) : paint(COLOURS[zone], words);
  const name = paint(DIM, type.padEnd(20));
  return `${paint(DIM, clockTime(event.time))} ${shape} ${printable(event.subject ?? "daemon").padEnd(28)} ${name} ${body}`;
}

function wordsFor(type: string, event: StreamEvent): string {
  if (type === "stream.resync") return `events were missed; the stream goes on behind ${event.sequence}`;
  const words = (WORDS as Readonly<Record<string, unknown>>)[type] as ((data: unknown) => string) | undefined;
  // An event of a newer daemon: its figures, as they are.
  return words === undefined ? JSON.stringify(event.data) : words(event.data);
}

/** Names come from agents: a control character in one must not reach the terminal. */
function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, "\u{fffd}");
}

function clockTime(time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "--:--:--";
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((n) => String(n).padStart(2, "0")).join(":");
}

function signed(n: number): string {
  return n < 0 ? `−${tokens(-n)}` : `+${tokens(n)}`;
}
