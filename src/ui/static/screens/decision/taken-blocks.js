/** A list of more rows than this hides the smaller ones behind one row. */
const ROWS = 30;
/** Blocks of one kind that are told in one row, at least. */
const ALIKE = 3;
/** Types that are told as a group when none of them was needed again: many, small and alike. */
const GROUPED = new Set(["thinking", "assistant_response"]);

/**
 * What a pass took, block by block: a block that was edited twice is one, with the size that it began with and the edit
 * that had the last word. Those that were needed again come first, then the largest.
 */
export function takenBlocks({ taken }) {
  const blocks = new Map();
  for (const edit of taken) {
    const first = blocks.get(edit.block_id);
    blocks.set(edit.block_id, first === undefined ? { ...edit } : joined(first, edit));
  }
  return [...blocks.values()].sort(
    (a, b) => Number(b.regret.length > 0) - Number(a.regret.length > 0) || b.tokens_before - a.tokens_before,
  );
}

function joined(first, then) {
  return {
    ...then,
    tokens_before: first.tokens_before,
    score: then.score ?? first.score,
    signals: then.signals.length > 0 ? then.signals : first.signals,
    policy: then.policy ?? first.policy,
  };
}

/**
 * The rows of the list: `{ block }`, and `{ key, blocks, words }` for many that are told as one. Rows come in the order
 * of the blocks, groups behind them.
 */
export function rowsOf(blocks) {
  const groups = new Map();
  const rows = [];
  for (const block of blocks) {
    if (GROUPED.has(block.type) && block.regret.length === 0) {
      const key = `${block.type} ${block.method} ${block.rule}`;
      groups.set(key, [...(groups.get(key) ?? []), block]);
    } else {
      rows.push({ block });
    }
  }
  const told = [];
  for (const [key, members] of groups) {
    if (members.length < ALIKE || rows.length + groups.size <= 1) rows.push(...members.map((block) => ({ block })));
    else told.push({ key, blocks: members, more: false });
  }
  rows.sort((a, b) => blocks.indexOf(a.block) - blocks.indexOf(b.block));
  if (rows.length > ROWS + ALIKE) {
    told.push({ key: "more", blocks: rows.splice(ROWS).map(({ block }) => block), more: true });
  }
  return [...rows, ...told];
}
