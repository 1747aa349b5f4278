import { componentOf } from "../../model/block.ts";
import type { EventData } from "../../model/events.ts";
import { zoneAt } from "../../pressure/index.ts";
import type { Journal } from "../../store/journal.ts";
import type { Services } from "../hook.ts";
import { limitsOf } from "../measure.ts";
import type { Session } from "../session.ts";
import { carriedOf, entriesOf, type Written, writtenBy, writtenMessages } from "./carried.ts";
import { type Faces, readFaces, readTexts } from "./contents.ts";
import type { OutlinedBlock } from "./context-outline.ts";
import { paybackOf } from "./payback.ts";
import { prefixOf } from "./prefix.ts";
import { type RecordedPass, readPass } from "./read-pass.ts";
import type { Explanation } from "./result.ts";
import { scoringOf } from "./signals.ts";
import { editsOf, takenOf } from "./taken.ts";

/** A pass as the journal has it, with the contents that explain it. */
export interface PassMaterial {
  readonly pass: RecordedPass;
  readonly written: Written;
  readonly faces: Faces;
  /** What contextd's own blocks show after the pass. */
  readonly ownTexts: ReadonlyMap<string, string>;
  /** What blocks held of which an identifier was needed again, and no line was recorded. */
  readonly originals: ReadonlyMap<string, string>;
}

/** Reads all that an explanation of the pass is made of; see `readPass` for what that costs and throws. */
export async function readMaterial(
  journal: Pick<Journal, "rows" | "load" | "contents">,
  { key, position }: Pick<Session, "key" | "position">,
  passId: string,
): Promise<PassMaterial> {
  const pass = await readPass(journal, key, position, passId);
  const { before, after, events, aftermath } = pass;
  const written = writtenBy(events);
  const own = writtenMessages(written);
  const unplaced = aftermath.regrets.filter(({ identifier, line = null }) => identifier && line === null);
  const missed = new Set(unplaced.map(({ block_id }) => block_id));
  return {
    pass,
    written,
    faces: await readFaces(journal, [...before, ...after]),
    ownTexts: await readTexts(
      journal,
      after.filter(({ messageId }) => own.has(messageId)),
      "now",
    ),
    originals: await readTexts(
      journal,
      before.filter(({ id }) => missed.has(id)),
      "original",
    ),
  };
}

/** Why the pass was made, what it took and kept, and what came of it. */
export function explain(material: PassMaterial, session: Session, services: Services): Explanation {
  const { pass, written, faces, ownTexts, originals } = material;
  const { compacted, before, after, course, events, aftermath } = pass;
  const { regrets } = aftermath;
  const { thresholds, recorded } = thresholdsOf(compacted, { ...session, maxTokens: course.maxTokens }, services);
  const edits = editsOf(events, scoringOf(compacted, services.scorer));
  const prefix = prefixOf(before, after);
  const entries = entriesOf(written.ledger);
  return {
    pass_id: compacted.pass_id,
    turn: course.turn,
    position: pass.position,
    at: pass.at,
    window_number: course.windowNumber,
    cause: compacted.cause,
    strategy: compacted.strategy,
    policy: edits.find(({ policy }) => policy !== null)?.policy ?? null,
    summarizer: compacted.summarizer,
    waited_ms: compacted.waited_ms,
    max_tokens: course.maxTokens,
    thresholds: { ...thresholds },
    recorded,
    tokens_before: compacted.tokens_before,
    tokens_after: compacted.tokens_after,
    target_tokens: compacted.target_tokens,
    zone_before: course.zone,
    zone_after: aftermath.zoneAfter ?? zoneAt(compacted.tokens_after / course.maxTokens, thresholds),
    turns_until_red_before: course.turnsUntilRed,
    considered: consideredBy(compacted),
    taken: takenOf({ edits, before, after, titles: faces.titles, entries, regrets, originals }),
    carried: carriedOf(written, after, ownTexts),
    before: before.map((block) => shown(block, faces)),
    after: after.map((block) => shown(block, faces)),
    kept_prefix_tokens: prefix.keptTokens,
    tokens_rewritten: prefix.rewrittenTokens,
    gate: compacted.gate,
    shallower: shallowerThan(compacted),
    fidelity: judgement(aftermath.fidelity),
    payback: paybackOf({
      gate: compacted.gate,
      tokensFreed: compacted.tokens_before - compacted.tokens_after,
      course,
      turns: aftermath.turns,
      cameBack: cameBack(regrets, new Map(before.map(({ id, tokens }) => [id, tokens]))),
    }),
    previous_pass_id: pass.previousPassId,
    next_pass_id: aftermath.nextPassId,
  };
}

/** Thresholds of the pass; of one whose row is of an earlier version, those that are in force now. */
function thresholdsOf(compacted: Partial<EventData["history.compacted"]>, session: Session, services: Services) {
  const { thresholds } = compacted;
  return thresholds
    ? { thresholds, recorded: true }
    : { thresholds: limitsOf(session, services).thresholds, recorded: false };
}

/** Rows of earlier versions told one that takes as much. */
function shallowerThan({ gate, shallower }: EventData["history.compacted"]) {
  return gate !== null && shallower !== null && shallower.tokens_freed >= gate.tokens_freed ? null : shallower;
}

/** Rows of earlier versions do not tell it. */
function consideredBy({ considered_blocks, considered_tokens }: EventData["history.compacted"]) {
  const blocks = considered_blocks ?? null;
  const tokens = considered_tokens ?? null;
  return blocks === null || tokens === null ? null : { blocks, tokens };
}

function shown({ id, type, tool, turn, tokens, state }: OutlinedBlock, { titles, cleared }: Faces) {
  return {
    block_id: id,
    type,
    component: componentOf(type),
    tool_name: tool?.name ?? null,
    title: titles.get(id) ?? "",
    turn,
    tokens,
    state: state === "whole" && cleared.has(id) ? ("cleared" as const) : state,
  };
}

function judgement(evaluated: EventData["fidelity.evaluated"] | null): Explanation["fidelity"] {
  if (evaluated === null) return null;
  const { score, generation, probes, kept, floor, below_floor, by_type, judge } = evaluated;
  return { score, generation, probes, kept, floor, below_floor, by_type, judge };
}

/** Content that came in a second time, each block once: an identifier that is used brings nothing back by itself. */
function cameBack(regrets: readonly EventData["regret.detected"][], tokens: ReadonlyMap<string, number>) {
  const first = new Map<string, { turn: number; tokens: number }>();
  for (const { kind, block_id: id, turn } of regrets) {
    if (kind !== "identifier" && !first.has(id)) first.set(id, { turn, tokens: tokens.get(id) ?? 0 });
  }
  return [...first.values()];
}
