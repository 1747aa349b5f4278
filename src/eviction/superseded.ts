import type { Block } from "../model/block.ts";
import type { Superseded } from "./scorer.ts";
import { callKey, filesOf, parseArguments, writesFiles } from "./tool-arguments.ts";

/** The live blocks of one call, or about one file. */
interface Group {
  readonly key: string;
  /** Live blocks that belong here; the group goes with the last. */
  members: number;
  /** Of a call its results, of a file the results that report a write of it; in order of arrival. */
  readonly results: Known[];
  /** Those of a call's results that did not fail. */
  readonly answers: Known[];
}

interface Known {
  readonly id: string;
  readonly order: number;
  readonly callId: string;
  readonly call: Group;
  readonly files: readonly Group[];
  /** A result, so that a newer one of the same call can replace it. */
  readonly isResult: boolean;
  readonly failed: boolean;
  /** A result that says a write was done. */
  readonly wrote: boolean;
}

/**
 * Knows which tool results and calls are out of date: a newer live result of the same call exists (a failed call
 * answers nothing, so it replaces only failed ones), or later live results report writes of all files that the
 * call was about. Adding costs in proportion to the call's arguments. Add blocks in the order of the context; the index
 * may be built again from the live blocks at any time.
 */
export class SupersededIndex {
  readonly #known = new Map<string, Known>();
  readonly #calls = new Map<string, Group>();
  readonly #files = new Map<string, Group>();
  #added = 0;

  get size(): number {
    return this.#known.size;
  }

  /** Takes a block in. Only tool calls and results with known arguments matter; content already gone is left out. */
  add(block: Pick<Block, "id" | "state" | "tool" | "part">): void {
    if (block.state === "cleared" || block.state === "merged" || this.#known.has(block.id)) return;
    const { tool, part } = block;
    if (tool === null || tool.argumentsText === "" || (part.kind !== "tool_result" && part.kind !== "tool_call"))
      return;
    const parsed = parseArguments(tool.argumentsText);
    const isResult = part.kind === "tool_result";
    const failed = isResult && part.isError;
    const files = filesOf(parsed);
    const known: Known = {
      id: block.id,
      order: this.#added++,
      callId: tool.callId,
      call: join(this.#calls, callKey(tool, parsed)),
      files: files.map((file) => join(this.#files, file)),
      isResult,
      failed,
      wrote: isResult && !failed && files.length > 0 && writesFiles(tool, parsed),
    };
    this.#known.set(known.id, known);
    if (known.isResult) known.call.results.push(known);
    if (known.isResult && !known.failed) known.call.answers.push(known);
    if (known.wrote) for (const file of known.files) file.results.push(known);
  }

  /** Forgets a block: it left the context, or its content was replaced. Unknown ids are ignored. */
  remove(blockId: string): void {
    const known = this.#known.get(blockId);
    if (known === undefined) return;
    this.#known.delete(blockId);
    leave(this.#calls, known.call, known);
    for (const file of known.files) leave(this.#files, file, known);
  }

  /** The blocks that hold results of the call of that key, failed ones left out; in order of arrival. */
  answersOf(key: string): readonly string[] {
    return this.#calls.get(key)?.answers.map(({ id }) => id) ?? [];
  }

  superseded(blockId: string): Superseded | null {
    const known = this.#known.get(blockId);
    if (known === undefined) return null;
    if (known.isResult) {
      const newest = (known.failed ? known.call.results : known.call.answers).at(-1);
      if (newest !== undefined && newest.order > known.order) return { byBlockId: newest.id, rule: "newer_result" };
    }
    let last: Known | null = null;
    for (const file of known.files) {
      const write = file.results.at(-1);
      // A call's own result reports that very write, not a later one.
      if (write === undefined || write.order <= known.order || write.callId === known.callId) return null;
      if (last === null || write.order > last.order) last = write;
    }
    return last === null ? null : { byBlockId: last.id, rule: "later_write" };
  }
}

function join(groups: Map<string, Group>, key: string): Group {
  let group = groups.get(key);
  if (group === undefined) {
    group = { key, members: 0, results: [], answers: [] };
    groups.set(key, group);
  }
  group.members++;
  return group;
}

function leave(groups: Map<string, Group>, group: Group, known: Known): void {
  for (const list of [group.results, group.answers]) {
    const place = list.indexOf(known);
    if (place !== -1) list.splice(place, 1);
  }
  if (--group.members === 0) groups.delete(group.key);
}
