import { ZONES } from "./buckets.js";

/** What is chosen in the fields beside the search, by its name in the address and in a session. */
export const FACETS = ["profile", "agent", "model"];

/**
 * Which sessions are shown: kept in the address as
 * `?state=closed&zone=red,orange&profile=&agent=&model=&q=`.
 */
export class Choices {
  zones = new Set();
  words = "";
  /** `open` or `closed`: which sessions the table shows. */
  state = "open";
  #facets = new Map();
  /** What a session is searched in; a session keeps its names for life. */
  #names = new WeakMap();

  constructor(query) {
    for (const zone of (query.get("zone") ?? "").split(",")) if (ZONES.includes(zone)) this.zones.add(zone);
    for (const facet of FACETS) if (query.get(facet)) this.#facets.set(facet, query.get(facet));
    this.words = query.get("q") ?? "";
    if (query.get("state") === "closed") this.state = "closed";
  }

  /** As `app.setQuery` takes it. */
  get query() {
    const zones = [...this.zones].join(",");
    const state = this.state === "open" ? "" : this.state;
    const facets = Object.fromEntries(FACETS.map((name) => [name, this.facet(name)]));
    return { state, zone: zones, q: this.words.trim(), ...facets };
  }

  /** As `session.list` takes it. */
  get asked() {
    const search = this.words.trim();
    return {
      ...(this.zones.size === 0 ? {} : { zone: [...this.zones].sort() }),
      ...Object.fromEntries([...this.#facets].sort()),
      ...(search === "" ? {} : { search }),
    };
  }

  get isOpen() {
    return this.zones.size === 0 && this.#facets.size === 0 && this.words.trim() === "";
  }

  facet(name) {
    return this.#facets.get(name) ?? "";
  }

  choose(name, value) {
    if (value === "") this.#facets.delete(name);
    else this.#facets.set(name, value);
  }

  toggle(zone) {
    if (!this.zones.delete(zone)) this.zones.add(zone);
    if (this.zones.size === ZONES.length) this.zones.clear();
  }

  clear() {
    this.zones.clear();
    this.#facets.clear();
    this.words = "";
  }

  showsZone(zone) {
    return this.zones.size === 0 || this.zones.has(zone);
  }

  /** Everything but the zone. */
  passes(session) {
    for (const [name, value] of this.#facets) if (session[name] !== value) return false;
    const needle = this.words.trim().toLowerCase();
    return needle === "" || this.#namesOf(session).includes(needle);
  }

  matches(session) {
    return this.showsZone(session.zone) && this.passes(session);
  }

  #namesOf(session) {
    let names = this.#names.get(session);
    if (names === undefined) {
      const { session_id: id, agent, model, profile } = session;
      names = `${id} ${agent} ${model} ${profile}`.toLowerCase();
      this.#names.set(session, names);
    }
    return names;
  }
}
