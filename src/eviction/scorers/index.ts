import type { Registry } from "../../model/strategy.ts";
import type { Scorer } from "../scorer.ts";
import { dropOldest } from "./drop-oldest.ts";
import { fifo } from "./fifo.ts";
import { hybrid } from "./hybrid.ts";
import { lru } from "./lru.ts";
import { none } from "./none.ts";
import { priority } from "./priority.ts";
import { regret } from "./regret.ts";
import { semanticDuplication } from "./semantic-duplication.ts";
import { slidingWindow } from "./sliding-window.ts";
import { superseded } from "./superseded.ts";
import { type } from "./type.ts";

/** Eviction policies by the name that `eviction.policy` uses. A new one is one file and one line here. */
export const scorers = {
  hybrid,
  fifo,
  lru,
  priority,
  type,
  semantic_duplication: semanticDuplication,
  superseded,
  regret,
  sliding_window: slidingWindow,
  drop_oldest: dropOldest,
  none,
} as const satisfies Registry<Scorer>;
