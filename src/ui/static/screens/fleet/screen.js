import { situation } from "../../app/fleet.js";
import { showEmpty } from "../../app/states.js";
import { slot } from "../../draw/dom.js";
import { drawAlerts } from "./alerts.js";
import { EventTail } from "./event-tail.js";
import { drawHeadline } from "./headline.js";
import { layout } from "./layout.js";
import { SessionTable } from "./session-table.js";
import { Tiles } from "./tiles.js";

/** All sessions: those that will be red first, what happens, and what fires. */
export const screen = {
  name: "fleet",
  pattern: ["fleet"],
  tab: "fleet",
  title: () => null,
  open: (root, app) => new FleetScreen(root, app),
};

class FleetScreen {
  #root;
  #app;
  #filter;
  #parts = null;

  constructor(root, app) {
    this.#root = root;
    this.#app = app;
    this.#filter = app.query.get("q") ?? "";
    this.#fill();
  }

  apply(event, isNew) {
    this.#parts?.tail.add(event, isNew);
  }

  figures() {
    this.#parts?.tiles.draw(this.#app.report);
  }

  paint() {
    if ((this.#parts === null) !== (this.#app.fleet.sessions.size === 0)) this.#fill();
    if (this.#parts === null) return;
    const sessions = [...this.#app.fleet.sessions.values()];
    const part = (name) => slot(this.#root, name);
    drawHeadline(part("headline"), part("subline"), situation(sessions));
    this.#parts.table.show(
      sessions.filter((session) => this.#matches(session)),
      sessions.length,
    );
    this.#parts.tail.draw();
    drawAlerts(part("alerts-panel"), part("alert-count"), part("alerts"), [...this.#app.fleet.alerts.values()]);
  }

  /** The fleet, or how to begin while there is no session. */
  #fill() {
    if (this.#app.fleet.sessions.size === 0) {
      this.#parts = null;
      showEmpty(this.#root);
      return;
    }
    this.#root.replaceChildren(...layout());
    const part = (name) => slot(this.#root, name);
    this.#parts = {
      table: new SessionTable(part("table"), part("count"), part("more")),
      tail: new EventTail(part("tail"), part("pause"), part("tail-hint")),
      tiles: new Tiles(part("tiles")),
    };
    const field = part("filter");
    field.value = this.#filter;
    field.addEventListener("input", () => {
      this.#filter = field.value;
      this.#app.setQuery({ q: field.value.trim() });
      this.#app.repaint();
    });
    for (const event of this.#app.recent) this.#parts.tail.add(event, false);
    this.figures();
  }

  #matches({ session_id, agent, model, profile }) {
    const needle = this.#filter.trim().toLowerCase();
    return needle === "" || `${session_id} ${agent} ${model} ${profile}`.toLowerCase().includes(needle);
  }
}
