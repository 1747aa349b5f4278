import { isLedger } from "./block-looks.js";

/**
 * Where the two rows of the ribbon have their blocks, in tokens from the start of the prompt. Pure: of the explanation
 * alone, so that drawing and pointing agree.
 */
export function ribbonPlaces(pass, blocks) {
  const before = row(pass.before);
  const after = row(pass.after);
  const stands = new Map(after.places.map((place) => [place.block.block_id, place]));
  const went = new Map(blocks.map((block) => [block.block_id, block]));
  const known = new Set(pass.before.map(({ block_id }) => block_id));
  return {
    before: before.places.map((place) => ({
      ...place,
      taken: went.get(place.block.block_id) ?? null,
      to: stands.get(place.block.block_id) ?? null,
    })),
    after: after.places.map((place) => ({ ...place, isNew: !known.has(place.block.block_id) })),
    most: Math.max(before.tokens, after.tokens, 1),
    edge: pass.kept_prefix_tokens,
    ledger: ledgerSpan(after.places),
  };
}

function row(blocks) {
  let tokens = 0;
  const places = blocks.map((block) => {
    const place = { block, from: tokens, size: block.tokens };
    tokens += block.tokens;
    return place;
  });
  return { places, tokens };
}

/** Where the ledger stands: from its first segment to the end of its last; null: there is none. */
function ledgerSpan(after) {
  const own = after.filter(({ block }) => isLedger(block));
  const [first] = own;
  if (first === undefined) return null;
  const last = own.at(-1);
  return { from: first.from, size: last.from + last.size - first.from };
}

/** The evicted blocks under a point of the upper row, and the nearest within `reach` tokens where none is. */
export function takenAt(places, tokens, reach) {
  let nearest = null;
  let least = reach;
  for (const place of places.before) {
    if (place.taken === null) continue;
    const distance = Math.max(place.from - tokens, tokens - place.from - place.size, 0);
    if (distance === 0) return place;
    if (distance < least) [nearest, least] = [place, distance];
  }
  return nearest;
}
