import type { EventData, EventType } from "../../model/events.ts";
import type { Parts } from "../live-context.ts";
import type { Session } from "../session.ts";

/** What an event changes, in place. Throws when the event does not fit the state: the journal is damaged or a bug. */
export type Fold<T extends EventType> = (session: Session, data: EventData[T], parts: Parts) => void;

/** One entry an event type that changes the state; the others are only observed. */
export type Folds = { readonly [T in EventType]?: Fold<T> };
