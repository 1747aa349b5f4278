import { shortType } from "../../app/event-words.js";
import { situation } from "../../app/fleet.js";
import { showEmpty } from "../../app/states.js";
import { setText, slot } from "../../draw/dom.js";
import { Alerts } from "./alerts.js";
import { BUCKETS } from "./buckets.js";
import { Choices } from "./choices.js";
import { EventTail } from "./event-tail.js";
import { FilterFields } from "./filter-fields.js";
import { drawHeadline } from "./headline.js";
import { layout } from "./layout.js";
import { SessionTable } from "./session-table.js";
import { Standing } from "./standing.js";
import { Strip } from "./strip.js";
import { tailFilter } from "./tail-filter.js";
import { recentOverflows, Tiles, youngerThanAnHour } from "./tiles.js";
import { ZoneKeys } from "./zone-keys.js";

/** All sessions: those that will be red first, what happens, and what fires. */
export const screen = {
  name: "fleet",
  pattern: ["fleet"],
  tab: "fleet",
  title: () => null,
  open: (root, app) => new FleetScreen(root, app),
};

const isAlert = ({ type }) => shortType(type).startsWith("alert.");

class FleetScreen {
  #root;
  #app;
  #choices;
  #parts = null;
  #standing = null;
  /** Sessions that events named since the last painting; `#all`: every one is to be looked at. */
  #touched = new Set();
  #all = true;

  constructor(root, app) {
    this.#root = root;
    this.#app = app;
    this.#choices = new Choices(app.query);
    this.#fill();
    this.#showAlerts();
  }

  apply(event, isNew) {
    if (isNew && event.subject) this.#touched.add(event.subject);
    if (isAlert(event)) this.#parts?.firing.changed();
    this.#parts?.tail.add(event, isNew);
  }

  figures() {
    this.#parts?.tiles.draw(this.#app.report);
    this.#drawSituation();
  }

  resync() {
    this.#all = true;
    this.#parts?.table.replaced();
    this.#parts?.firing.changed();
  }

  query(query) {
    this.#choices = new Choices(query);
    this.#parts?.readTail();
    this.#chosen();
    this.#showAlerts();
  }

  key(event) {
    return this.#parts?.table.key(event) === true;
  }

  close() {
    this.#parts?.strip.close();
    this.#parts?.table.close();
    this.#parts = null;
  }

  paint(now) {
    const { sessions, alerts } = this.#app.fleet;
    if ((this.#parts === null) !== (sessions.size === 0)) this.#fill();
    if (this.#parts === null) return;
    const { table, strip, zoneKeys, fields, tail, firing } = this.#parts;
    const isChanged = this.#all || this.#touched.size > 0;
    if (this.#all) fields.offer([...sessions.values()]);
    if (isChanged) this.#take(sessions, table);
    if (isChanged) this.#drawSituation();
    zoneKeys.draw(this.#standing.zoneCounts, this.#choices);
    strip.paint();
    table.paint(sessions, now);
    tail.draw();
    firing.draw(alerts, now);
  }

  /** Puts those sessions anew that an event touched, or all. */
  #take(sessions, table) {
    if (this.#all) {
      this.#standing.keepOnly((id) => sessions.has(id));
      for (const session of sessions.values()) this.#put(session);
    } else {
      for (const id of this.#touched) {
        const session = sessions.get(id);
        if (session === undefined) this.#standing.remove(id);
        else this.#put(session);
        table.touch(id);
      }
    }
    this.#touched.clear();
    this.#all = false;
    const { counts } = this.#standing;
    const words = BUCKETS.map((bucket, b) => (counts[b] > 0 ? `${bucket.words}: ${counts[b]}` : null)).filter(Boolean);
    setText(slot(this.#root, "strip-words"), words.join("; "));
  }

  #put(session) {
    const passes = this.#choices.passes(session);
    this.#standing.put(session, passes, passes && this.#choices.showsZone(session.zone));
  }

  #drawSituation() {
    if (this.#parts === null) return;
    const found = situation(this.#app.fleet.sessions.values());
    const part = (name) => slot(this.#root, name);
    drawHeadline(part("headline"), part("subline"), found, {
      overflows: recentOverflows(this.#app.report) ?? 0,
      since: youngerThanAnHour(this.#app.report),
      isWhole: this.#app.fleet.isWhole,
    });
    this.#parts.tiles.count(found);
  }

  /** The fleet, or how to begin while there is no session. */
  #fill() {
    this.close();
    if (this.#app.fleet.sessions.size === 0) {
      showEmpty(this.#root);
      return;
    }
    const app = this.#app;
    this.#root.replaceChildren(...layout());
    const part = (name) => slot(this.#root, name);
    const href = (names, choices) => app.href(names, choices);
    const open = (id) => app.navigate(["session", id]);
    this.#standing = new Standing();
    this.#all = true;
    const tail = new EventTail({ list: part("tail"), pause: part("pause"), hint: part("tail-hint") }, href);
    for (const event of app.recent) tail.add(event, false);
    const host = { session: (id) => app.fleet.sessions.get(id), open, say: app.say, tip: app.tip };
    this.#parts = {
      tail,
      readTail: tailFilter({ kind: part("tail-kind"), words: part("tail-of") }, tail, app),
      tiles: new Tiles(part("tiles")),
      strip: new Strip(part("strip"), this.#standing, host),
      zoneKeys: new ZoneKeys(part("zone-keys"), (zone) => {
        this.#choices.toggle(zone);
        this.#chosen(true);
      }),
      fields: new FilterFields({ search: part("filter"), facets: part("facets") }, this.#choices, () =>
        this.#chosen(true),
      ),
      table: new SessionTable({ grid: part("table"), counter: part("count"), more: part("more") }, { href, open }),
      firing: new Alerts({ panel: part("alerts-panel"), counter: part("alert-count"), list: part("alerts") }, href),
    };
    part("clear").addEventListener("click", () => {
      this.#choices.clear();
      this.#chosen(true);
      part("filter").focus();
    });
    this.#chosen();
    this.figures();
  }

  /** Another choice is in force; `toAddress`: it was made on the page. */
  #chosen(toAddress = false) {
    if (this.#parts === null) return;
    if (toAddress) this.#app.setQuery(this.#choices.query);
    const choices = this.#choices;
    this.#parts.fields.show(choices);
    this.#parts.table.filter((session) => choices.matches(session));
    slot(this.#root, "clear").hidden = choices.isOpen;
    this.#all = true;
    this.#app.repaint();
  }

  /** `?show=alerts`, as the bell has it: once, and not kept in the address. */
  #showAlerts() {
    if (this.#app.query.get("show") !== "alerts") return;
    this.#app.setQuery({ show: null });
    const panel = slot(this.#root, "alerts-panel");
    if (panel === null || this.#app.fleet.alerts.size === 0) return;
    panel.hidden = false;
    panel.scrollIntoView({ block: "center" });
    panel.focus({ preventScroll: true });
  }
}
