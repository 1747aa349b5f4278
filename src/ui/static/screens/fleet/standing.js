import { BUCKETS, bucketOf, untilRed, ZONES } from "./buckets.js";

const HIDDEN = 255;

/**
 * The sessions as the strip draws them: columns of figures instead of objects, each session in a slot and each slot in
 * a bucket. What an event touches is put anew; only the buckets that it left or came to are sorted again.
 */
export class Standing {
  /** Session ids by slot; null where a slot is free. */
  ids = [];
  zone = new Uint8Array(64);
  share = new Float32Array(64);
  /** Sessions in each bucket, and in each zone whatever zones are shown. */
  counts = new Uint32Array(BUCKETS.length);
  zoneCounts = new Uint32Array(ZONES.length);
  /** Sessions shown. */
  total = 0;
  /** Rises when anything that is drawn changes. */
  version = 0;

  #slots = new Map();
  #free = [];
  #until = new Float64Array(64);
  #bucket = new Uint8Array(64).fill(HIDDEN);
  #counted = new Uint8Array(64);
  #members = BUCKETS.map(() => []);
  #dirty = BUCKETS.map(() => true);
  #inBlocks = false;

  /** Takes a session. `passes`: it has what is asked for besides its zone; `shown`: its zone as well. */
  put(session, passes, shown) {
    const slot = this.#slots.get(session.session_id) ?? this.#take(session.session_id);
    const zone = ZONES.indexOf(session.zone);
    const until = untilRed(session);
    const bucket = shown ? bucketOf(session) : HIDDEN;
    const before = this.#bucket[slot];
    if (this.#counted[slot] === 1) this.zoneCounts[this.zone[slot]]--;
    this.#counted[slot] = passes ? 1 : 0;
    if (passes) this.zoneCounts[zone]++;
    const isSame = before === bucket && this.#until[slot] === until && this.zone[slot] === zone;
    if (isSame && Math.abs(this.share[slot] - session.utilization) < 1e-4) return;
    this.version++;
    this.zone[slot] = zone;
    this.share[slot] = session.utilization;
    this.#until[slot] = until;
    if (!isSame) this.#move(slot, bucket);
  }

  remove(id) {
    const slot = this.#slots.get(id);
    if (slot === undefined) return;
    this.version++;
    this.#move(slot, HIDDEN);
    if (this.#counted[slot] === 1) this.zoneCounts[this.zone[slot]]--;
    this.#counted[slot] = 0;
    this.#slots.delete(id);
    this.ids[slot] = null;
    this.#free.push(slot);
  }

  /** Lets go of the sessions that `has` does not know. */
  keepOnly(has) {
    for (const id of [...this.#slots.keys()]) if (!has(id)) this.remove(id);
  }

  /** The slots of each bucket in order: by turns until red, or in blocks of one zone with the most urgent first. */
  ordered(inBlocks) {
    if (inBlocks !== this.#inBlocks) this.#dirty.fill(true);
    this.#inBlocks = inBlocks;
    for (let b = 0; b < BUCKETS.length; b++) if (this.#dirty[b]) this.#sort(b);
    return this.#members;
  }

  /** Where a session stands: its bucket and place; null when it is not shown. */
  find(id) {
    const slot = this.#slots.get(id);
    const bucket = slot === undefined ? HIDDEN : this.#bucket[slot];
    if (bucket === HIDDEN) return null;
    return { bucket, place: this.#members[bucket].indexOf(slot) };
  }

  #take(id) {
    const slot = this.#free.pop() ?? this.ids.length;
    if (slot >= this.zone.length) this.#grow();
    this.ids[slot] = id;
    this.#bucket[slot] = HIDDEN;
    this.#counted[slot] = 0;
    this.#slots.set(id, slot);
    return slot;
  }

  #grow() {
    const wider = (column) => {
      const next = new column.constructor(column.length * 2);
      next.set(column);
      return next;
    };
    this.zone = wider(this.zone);
    this.share = wider(this.share);
    this.#until = wider(this.#until);
    this.#bucket = wider(this.#bucket);
    this.#counted = wider(this.#counted);
  }

  #move(slot, bucket) {
    const before = this.#bucket[slot];
    if (before !== HIDDEN) {
      this.counts[before]--;
      this.#dirty[before] = true;
      this.total--;
    }
    this.#bucket[slot] = bucket;
    if (bucket === HIDDEN) return;
    this.counts[bucket]++;
    this.#dirty[bucket] = true;
    this.total++;
  }

  #sort(bucket) {
    const slots = [];
    for (let slot = 0; slot < this.ids.length; slot++) if (this.#bucket[slot] === bucket) slots.push(slot);
    const { zone, share } = this;
    const until = this.#until;
    const soonest = (a, b) => (until[a] === until[b] ? share[b] - share[a] : until[a] - until[b]);
    slots.sort(this.#inBlocks ? (a, b) => zone[b] - zone[a] || soonest(a, b) : soonest);
    this.#members[bucket] = slots;
    this.#dirty[bucket] = false;
  }
}
