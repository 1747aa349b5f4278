/**
 * The sessions of the table in their order, without sorting them anew for each event: those that were touched are taken
 * out and put back where they belong. While the order is held, because a hand is on it, nothing moves; what is gone
 * leaves, what is new comes last.
 */
export class SessionOrder {
  list = [];
  #compare;
  #matches;
  #touched = new Set();
  /** All is to be sorted: another rule, or the sessions are other objects. `#forced`: though the order is held. */
  #stale = true;
  #forced = true;
  #replaced = false;

  constructor(compare, matches) {
    this.#compare = compare;
    this.#matches = matches;
  }

  /** Another order or another choice: in force at once. */
  rule(compare, matches) {
    this.#compare = compare;
    this.#matches = matches;
    this.#stale = true;
    this.#forced = true;
  }

  /** The sessions were read anew. */
  replaced() {
    this.#stale = true;
    this.#replaced = true;
  }

  touch(id) {
    this.#touched.add(id);
  }

  /** Brings the list up to date with the sessions by id. */
  settle(sessions, held) {
    if (held && !this.#forced && this.list.length > 0) this.#hold(sessions);
    else if (this.#stale) this.#sortAll(sessions);
    else if (this.#touched.size > 0) this.#putBack(sessions);
  }

  #hold(sessions) {
    if (this.#replaced) {
      const left = new Map(sessions);
      const kept = this.list.flatMap(({ session_id: id }) => left.get(id) ?? []);
      for (const { session_id: id } of kept) left.delete(id);
      this.list = [...kept, ...[...left.values()].filter(this.#matches).sort(this.#compare)];
      this.#replaced = false;
      return;
    }
    const gone = [...this.#touched].filter((id) => !sessions.has(id));
    if (gone.length === 0) return;
    this.list = this.list.filter(({ session_id: id }) => sessions.has(id));
    for (const id of gone) this.#touched.delete(id);
  }

  #sortAll(sessions) {
    this.list = [...sessions.values()].filter(this.#matches).sort(this.#compare);
    this.#touched.clear();
    this.#stale = false;
    this.#forced = false;
    this.#replaced = false;
  }

  #putBack(sessions) {
    const coming = [];
    for (const id of this.#touched) {
      const session = sessions.get(id);
      if (session !== undefined && this.#matches(session)) coming.push(session);
    }
    coming.sort(this.#compare);
    const standing = this.list.filter(({ session_id: id }) => !this.#touched.has(id));
    this.list = merged(standing, coming, this.#compare);
    this.#touched.clear();
  }
}

/** Two sorted lists as one; `few` is short, so its places in `many` are looked up by halving. */
function merged(many, few, compare) {
  const all = [];
  let from = 0;
  for (const session of few) {
    let [low, high] = [from, many.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (compare(many[middle], session) <= 0) low = middle + 1;
      else high = middle;
    }
    for (; from < low; from++) all.push(many[from]);
    all.push(session);
  }
  for (; from < many.length; from++) all.push(many[from]);
  return all;
}
