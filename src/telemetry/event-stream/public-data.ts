import type { EventData, EventType } from "../../model/events.ts";
import type { Json, JsonObject } from "../../model/json.ts";

type Projection<T extends EventType> = (data: EventData[T]) => JsonObject;

/**
 * What the stream says of the few events whose journalled data hold the agent's words or are of use to the fold only.
 * The stream is read by dashboards, terminals and logs, so it carries ids, names and figures; the words are behind
 * `session.get` and `content.recall`. It also keeps the ring small: nothing in it grows with what agents send.
 */
const PROJECTIONS: { readonly [T in EventType]?: Projection<T> } = {
  "session.opened": ({ task, ...rest }) => ({ ...(rest as unknown as JsonObject), has_task: task !== null }),
  "message.added": ({ envelope: _envelope, digest: _digest, ...rest }) => rest as unknown as JsonObject,
  "message.extended": ({ message_id }) => ({ message_id }),
  "block.added": ({ tool, ...rest }) => ({
    ...(rest as unknown as JsonObject),
    tool_name: tool?.name ?? null,
    tool_call_id: tool?.callId ?? null,
  }),
  "compaction.started": ({ block_ids: _blocks, inputs: _inputs, ...rest }) => rest,
  "ledger.rebuilt": ({ entries: _entries, ...rest }) => rest,
  "summary.rewritten": ({ held: _held, ...rest }) => rest,
  "summary.prepared": ({ text: _text, ...rest }) => rest,
  "results.prepared": ({ texts: _texts, ...rest }) => rest,
  "fidelity.evaluated": ({ kept_probes: _probes, ...rest }) => rest as unknown as JsonObject,
  "note.written": ({ text: _text, ...rest }) => rest,
  "task.updated": ({ update: _update, ...rest }) => rest,
  "constraint.reinserted": ({ text: _text, ...rest }) => rest,
  "regret.detected": ({ identifier: _identifier, ...rest }) => rest,
  "delegation.opened": ({ title: _title, ...rest }) => rest as unknown as JsonObject,
  "delegation.closed": ({ result_hash: _hash, ...rest }) => rest as unknown as JsonObject,
  "checkpoint.saved": ({ hash: _hash, task_hash: _task, ...rest }) => rest,
  "checkpoint.restored": ({ state: _state, ...rest }) => rest,
  "bootstrap.verified": ({ drifted: _drifted, ...rest }) => rest,
  "history.diverged": ({ removed_messages }) => ({ removed_messages }),
};

/** The `data` of an event on the stream. docs/events.md lists what is left out. */
export function publicData<T extends EventType>(type: T, data: EventData[T]): Json {
  const projection = PROJECTIONS[type] as Projection<T> | undefined;
  return projection === undefined ? (data as unknown as JsonObject) : projection(data);
}
