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
    ledger: ledgerSpan(pass, after.places, known),
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

/** The ledger is what contextd wrote first behind the edge: its own new blocks of memory, one a segment. */
function ledgerSpan({ carried, kept_prefix_tokens: edge }, after, known) {
  if (carried.ledger === null || carried.ledger.tokens_after === 0) return null;
  const segments = new Set(carried.ledger.entries.map(({ segment }) => segment)).size;
  const own = after
    .filter(({ block, from }) => block.type === "memory_injection" && from >= edge && !known.has(block.block_id))
    .slice(0, Math.max(1, segments));
  if (own.length === 0) return null;
  const last = own.at(-1);
  return {
    from: own[0].from,
    size: last.from + last.size - own[0].from,
    ids: new Set(own.map(({ block }) => block.block_id)),
  };
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
