import { Book, chooseLedger, type LedgerChoice, ledgerText, type NeedModel, PassView } from "../../ledger/index.ts";
import { messageFormats } from "../../messages/index.ts";
import type { JsonObject } from "../../model/json.ts";
import { openNeedModel } from "../../need-models.ts";
import type { Contender, ReplayRequest } from "../contender.ts";
import type { PreparedRun } from "../prepared-run.ts";
import { type PlainUnit, unitsOf } from "./units.ts";

export interface PlainLedgerOptions {
  readonly model: NeedModel;
  readonly share: number;
  readonly low: number;
  readonly stableShare: number;
  readonly refreshBelow: number;
  readonly tokensOf: (row: string) => number;
  readonly onPass?: (view: PassView, place: number) => void;
}

/** The reference form of eviction with a ledger: whole units, oldest first, and lines of all that has gone. */
export function* playLedger(run: PreparedRun, window: number, options: PlainLedgerOptions): Generator<ReplayRequest> {
  const { messages, ...beside } = run.conversation;
  const format = messageFormats[run.format];
  const size = Math.floor(options.share * window);
  const tokens = messages.map((message) => run.readings.ofMessage(message).tokens);
  const units = unitsOf(run);
  const firstUser = messages.findIndex((message) => message["role"] === "user");
  const book = new Book();
  const pieceIds: string[][] = [];
  const gone = new Set<number>();
  let total = run.readings.of({ ...beside, messages: [] })[0]?.tokens ?? 0;
  let ledger: { choice: LedgerChoice; messages: JsonObject[]; ids: string[]; tokens: number } | null = null;
  let previous = 0;
  let passes = 0;
  for (const [place, message] of messages.entries()) {
    const split = format.split(message, `messages[${place}]`);
    const pinned = split.role === "system" || place === firstUser;
    if (split.role === "assistant") {
      let edits = 0;
      if (total + (ledger?.tokens ?? 0) > window) {
        const target = Math.floor(options.low * window) - size;
        while (total > target && units[0] !== undefined && (units[0].places[0] ?? 0) < previous) {
          for (const dropped of (units.shift() as PlainUnit).places) {
            total -= tokens[dropped] as number;
            gone.add(dropped);
            for (const id of pieceIds[dropped] ?? []) book.hide(id);
          }
          edits++;
        }
        passes++;
        const view = new PassView(book);
        options.onPass?.(view, place);
        const room: number = Math.min(size, window - total) - 16;
        const choice: LedgerChoice = chooseLedger(
          { view, model: options.model, tokensOf: options.tokensOf, factor: () => 1 },
          { tokens: room, stableShare: options.stableShare, refreshBelow: options.refreshBelow, leastNeed: 0 },
          ledger?.choice.stable ?? [],
        );
        const texts = [ledgerText("stable", choice.stable, "1"), ledgerText("fresh", choice.fresh, "2")];
        const rendered = texts.map((text) => format.join(format.compose("user", text)));
        const stableId: string = choice.renewed ? `A${passes}` : (ledger?.ids[0] as string);
        ledger = {
          choice,
          messages: rendered,
          ids: [stableId, `V${passes}`],
          tokens: rendered.reduce((sum, each) => sum + run.readings.ofMessage(each).tokens, 0),
        };
      }
      const kept: JsonObject[] = [];
      const ids: string[] = [];
      for (let at = 0; at < place; at++) {
        if (gone.has(at)) continue;
        if (ledger && at > firstUser && !ids.includes(ledger.ids[0] as string)) {
          kept.push(...ledger.messages);
          ids.push(...ledger.ids);
        }
        kept.push(messages[at] as JsonObject);
        ids.push(String(at));
      }
      yield { context: { ...beside, messages: kept }, ids, edits };
      previous = place;
    }
    total += tokens[place] as number;
    const isResult = split.role === "tool" || split.parts.some((part) => part.kind === "tool_result");
    const role = isResult ? "tool" : split.role;
    const pieces = split.parts.map((part, at) => ({ blockId: `${place}.${at}`, part }));
    pieceIds[place] = pieces.map(({ blockId }) => blockId);
    book.add({ role, pinned, pieces });
  }
}

/** The recipe's proportions, counted by characters as its figures are. */
export const plainLedger: Contender = {
  name: "plain_ledger",
  play: (run, window) =>
    playLedger(run, window, {
      model: openNeedModel({ need_model: "builtin" }),
      share: 0.3,
      low: 0.65,
      stableShare: 0.5,
      refreshBelow: 0.5,
      tokensOf: (row) => (row.length + 1) / 4,
    }),
};
