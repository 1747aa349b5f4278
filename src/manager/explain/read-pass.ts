import { setImmediate as nextTurn } from "node:timers/promises";
import { ContextdError } from "../../model/errors.ts";
import type { CoreEvent } from "../../model/events.ts";
import type { SessionKey } from "../../model/session-key.ts";
import type { Journal, JournalRow } from "../../store/journal.ts";
import { readBody } from "../row.ts";
import { snapshotOutline } from "../snapshot.ts";
import { Aftermath, TELLING_LATER } from "./aftermath.ts";
import { ContextOutline, type OutlinedBlock } from "./context-outline.ts";
import { type Course, courseOfSnapshot, initialCourse, nextCourse } from "./course.ts";
import { type PassSpan, passSpan } from "./pass-span.ts";

/** Rows read at a time; other sessions get their turn after each. */
const PAGE = 200;
/**
 * Rows gone through from a session's beginning. Of a longer one, or one that was pruned, those behind the oldest snapshot
 * that is kept.
 */
const MOST_ROWS = 20_000;

/** A pass as the journal has it. */
export interface RecordedPass {
  readonly compacted: PassSpan["compacted"];
  readonly position: number;
  /** When its call was made, ms since the epoch. */
  readonly at: number;
  /** The context just before its first event and just after its last one, in the order of the prompt. */
  readonly before: readonly OutlinedBlock[];
  readonly after: readonly OutlinedBlock[];
  /** The session's course just before. */
  readonly course: Course;
  readonly events: readonly CoreEvent[];
  readonly previousPassId: string | null;
  readonly aftermath: Aftermath;
}

type Source = Pick<Journal, "rows" | "load">;

/**
 * Reads one pass of a session, and what came of it, out of the journal up to `lastPosition`. It goes through the rows
 * from the first one, a page at a time, and holds the live blocks without their contents; the event loop gets its turn
 * between pages. It costs the parsing of the rows up to the pass and of the few behind it that tell of it: about a
 * second for 20,000 calls. `most`: rows beyond which it begins at a snapshot. Throws content_not_found for a pass that these rows do not hold.
 */
export async function readPass(
  journal: Source,
  key: SessionKey,
  lastPosition: number,
  passId: string,
  most: number = MOST_ROWS,
): Promise<RecordedPass> {
  const search = new PassSearch(passId, await beginning(journal, key, { last: lastPosition, most }));
  for (let from = search.from; from <= lastPosition; from += PAGE) {
    const rows = await journal.rows(key, { from, limit: Math.min(PAGE, lastPosition - from + 1) });
    for (const row of rows) search.add(row);
    await nextTurn();
  }
  return search.found();
}

/** Where to begin: at the first row, or where there are too many or it has been pruned at the oldest snapshot there is. */
async function beginning(
  journal: Source,
  key: SessionKey,
  { last, most }: { readonly last: number; readonly most: number },
): Promise<string | null> {
  const [first] = await journal.rows(key, { limit: 1 });
  const isWhole = first?.sessionSeq === 1;
  if (isWhole && last <= most) return null;
  const newest = (await journal.load(key, last))?.snapshot ?? null;
  // A pass brings a snapshot with it, so that the newest one may stand behind the newest pass.
  const older = isWhole && newest !== null ? (await journal.load(key, newest.sessionSeq - 1))?.snapshot : null;
  return (older ?? newest)?.body ?? null;
}

/** Takes a session's rows in their order until it has found the pass, and what is told of it behind. */
class PassSearch {
  /** Position of the first row to take. */
  readonly from: number;
  readonly #passId: string;
  readonly #outline: ContextOutline;
  #course: Course;
  #previousPassId: string | null = null;
  #found: RecordedPass | null = null;

  /** `snapshot`: the state to begin with; null: the session's beginning. */
  constructor(passId: string, snapshot: string | null) {
    this.#passId = passId;
    this.from = snapshot === null ? 1 : snapshotOutline(snapshot).plain.position + 1;
    this.#outline = snapshot === null ? new ContextOutline() : ContextOutline.ofSnapshot(snapshot);
    this.#course = snapshot === null ? initialCourse() : courseOfSnapshot(snapshot);
    const passes = snapshot === null ? 0 : snapshotOutline(snapshot).plain.nextPass - 1;
    if (passes > 0) this.#previousPassId = `p${passes}`;
  }

  add(row: JournalRow): void {
    if (this.#found) {
      if (!TELLING_LATER.test(row.body)) return;
      for (const event of readBody(row.body).events) this.#found.aftermath.add(event);
      return;
    }
    const { events } = readBody(row.body);
    const span = row.body.includes('"history.compacted"') ? passSpan(events, this.#passId) : null;
    if (span) this.#found = this.#record(row, events, span);
    else for (const event of events) this.#follow(event);
  }

  found(): RecordedPass {
    if (this.#found) return this.#found;
    const sentence =
      this.from === 1
        ? "This session has no pass of that id: history.compacted events name them (audit.list)."
        : `The calls from position ${this.from} on hold no pass of that id; the ones before are too many to go through, or have been pruned.`;
    throw new ContextdError("content_not_found", sentence, { path: "pass_id", from_position: this.from });
  }

  #record({ sessionSeq, at }: JournalRow, events: readonly CoreEvent[], span: PassSpan): RecordedPass {
    for (const event of events.slice(0, span.from)) this.#follow(event);
    const before = this.#outline.list();
    const course = this.#course;
    const own = events.slice(span.from, span.end + 1);
    for (const event of own) this.#outline.apply(event);
    const aftermath = new Aftermath(this.#passId);
    for (const event of events.slice(span.from)) aftermath.add(event);
    return {
      compacted: span.compacted,
      position: sessionSeq,
      at,
      before,
      after: this.#outline.list(),
      course,
      events: own,
      previousPassId: this.#previousPassId,
      aftermath,
    };
  }

  #follow(event: CoreEvent): void {
    this.#outline.apply(event);
    this.#course = nextCourse(this.#course, event);
    if (event.type === "history.compacted") this.#previousPassId = event.data.pass_id;
  }
}
