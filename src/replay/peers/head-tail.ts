import { truncateHeadTail } from "../../compression/index.ts";
import { characters } from "../../lines/index.ts";
import type { Contender } from "../contender.ts";
import { playPlain } from "./plain-context.ts";
import { withResults } from "./results.ts";

/** Tokens that a result may have, at four characters a token; of a larger one head and tail are kept. */
const LIMIT = 1000;
const CHARACTERS_PER_TOKEN = 4;

const tokensOf = (text: string) => Math.ceil(characters(text) / CHARACTERS_PER_TOKEN);

/** Cuts each large tool result to its head and its tail as it comes, and slides. */
export const headTailSliding: Contender = {
  name: "head_tail_sliding",
  play: (run, window) =>
    playPlain(run, {
      arrived(context, place) {
        const shorter = withResults(context, place, ({ text }) => {
          const { text: kept, cut } = truncateHeadTail(text, { limitTokens: LIMIT, count: tokensOf, handle: null });
          return cut ? kept : null;
        });
        if (shorter !== null) context.replace(place, shorter);
      },
      manage: (context) => context.dropUntil(window),
    }),
};
