import type { EventData } from "../../model/events.ts";
import { textOf } from "../../model/part.ts";
import { showsRule, standingText } from "../../notes/index.ts";
import type { Hook, Services } from "../hook.ts";
import type { ManagedMessage, Session } from "../session.ts";
import { isShown, type MissingRule, missingConstraints } from "./constraints.ts";
import { addOwnMessage, headOf, isBehind, markOf, tokensOfMessage } from "./own-message.ts";

/** Which text stands in the standing message's place, and how it is made of the rules that nothing else shows. */
export interface StandingForm {
  readonly form: EventData["standing.rewritten"]["form"];
  compose(hook: Hook, missing: readonly string[]): Omit<Standing, "changed">;
}

/** What the standing message is to say. */
export interface Standing {
  /** null: nothing. */
  readonly text: string | null;
  /** False when it says that already. */
  readonly changed: boolean;
  /** Ids of the notes shown. */
  readonly notes: readonly string[];
  readonly leftOut: number;
}

/** Tokens that rules, task and notes may take together, uncalibrated. */
export function standingLimit(session: Session, services: Pick<Services, "settings" | "calibration">): number {
  return Math.floor((services.settings.notes.share * session.maxTokens) / services.calibration);
}

/** Works out what the standing message is to say, with the rules that nothing else shows. */
function compose(
  { session, services }: Pick<Hook, "session" | "services">,
  missing: readonly string[],
): Omit<Standing, "changed"> {
  const { goal, ...task } = session.taskState;
  const written = standingText({
    constraints: missing,
    goal: goal === null || goal.trim() === "" || isShown(session, goal) ? null : goal,
    task,
    notes: session.notes.notes,
    limitTokens: standingLimit(session, services),
    count: (text) => services.countText(text),
    mark: (body) => markOf(session, body),
  });
  return { text: written?.text ?? null, notes: written?.shownNotes ?? [], leftOut: written?.leftOut ?? 0 };
}

const ORDINARY: StandingForm = { form: "standing", compose };

/** The standing message as it would be written now. */
export function standingMessage(hook: Pick<Hook, "session" | "services">, missing: readonly string[]): Standing {
  const written = compose(hook, missing);
  return { ...written, changed: written.text !== standsNow(hook.session) };
}

/**
 * Writes the standing message anew, behind the message `after`, where it would say something else than it says or stands
 * where the model no longer reads; answers whether it did. To be called within a pass, when its edits are done: what goes leaves the list with the pass.
 */
export function rewriteStanding(
  hook: Hook,
  passId: string,
  missing: readonly MissingRule[],
  after: string | null,
  { form, compose: write }: StandingForm = ORDINARY,
): boolean {
  const { session } = hook;
  const standing = write(
    hook,
    missing.map(({ text }) => text),
  );
  if (standing.text === standsNow(session) && isBehind(session, headOf(session), standingOf(session))) return false;
  const stood = standsNow(session) ?? "";
  for (const { text, source, blockId } of missing) {
    if (showsRule(stood, text)) continue;
    hook.emit("constraint.reinserted", { pass_id: passId, source, block_id: blockId, text });
  }
  const before = standingOf(session);
  const tokensBefore = tokensOfMessage(before);
  const id = standing.text === null ? null : addOwnMessage(hook, standing.text, "note", after);
  const added = id === null ? 0 : tokensOfMessage(session.messageById.get(id));
  hook.emit("standing.rewritten", {
    pass_id: passId,
    form,
    message_id: id,
    removed_message_id: before?.id ?? null,
    notes: standing.notes.length,
    left_out: standing.leftOut,
    constraints: missing.length,
    tokens_before: tokensBefore,
    tokens_after: added,
    tokens_added: added,
  });
  return true;
}

/** Whether the note would be in the standing message if it were written now. */
export function wouldShow(hook: Pick<Hook, "session" | "services">, noteId: string): boolean {
  const missing = missingConstraints(hook.session, [], () => []).map(({ text }) => text);
  return standingMessage(hook, missing).notes.includes(noteId);
}

/** The standing message; undefined where there is none. */
export function standingOf(session: Session): ManagedMessage | undefined {
  return session.messageById.get(session.standing ?? "");
}

function standsNow(session: Session): string | null {
  const message = standingOf(session);
  return message ? message.blocks.map(({ part }) => textOf(part)).join("\n") : null;
}
