import { el } from "../../draw/dom.js";
import { policyLabel, windowLabel } from "./words.js";

const WINDOWS = ["25%", "50%", "own", "8k", "16k", "32k", "64k", "128k"];
const KINDS = [
  ["policy", "Eviction policies"],
  ["profile", "Profiles of the config"],
  ["peer", "Without contextd"],
  ["bound", "Bounds"],
];
/** Sessions that the field offers; any other may be typed. */
const OFFERED = 200;
const OFFER_EVERY_MS = 2_000;
const DEFAULT_WINDOW = "25%";

/** What to replay. `onReplay(request)`; the choices stand in the address. */
export class Form {
  #app;
  #catalogue;
  #fields;
  #button = el("button.button.primary", { type: "submit" }, "Replay");
  #offered = el("datalist", { id: "lab-sessions" });
  #offeredAt = -OFFER_EVERY_MS;
  node;

  constructor(app, catalogue, onReplay) {
    this.#app = app;
    this.#catalogue = catalogue;
    const { query } = app;
    const own = catalogue.default_policies[0];
    app.guard.button(this.#button);
    this.#fields = {
      session: el("input.field", {
        id: "lab-session",
        type: "search",
        list: "lab-sessions",
        placeholder: "All open sessions",
        autocomplete: "off",
        spellcheck: "false",
      }),
      window: this.#select("lab-window", windows(query.get("window"))),
      a: this.#policies("lab-a"),
      b: this.#policies("lab-b"),
      others: this.#select("lab-others", [
        ["", "A, B and the usual others"],
        ["no", "A and B only"],
      ]),
    };
    const { session, window, a, b, others } = this.#fields;
    session.value = query.get("session") ?? "";
    window.value = query.get("window") ?? DEFAULT_WINDOW;
    this.#choose(a, query.get("a"), "plain_sliding");
    this.#choose(b, query.get("b"), own === a.value ? "hybrid" : own);
    others.value = query.get("others") === "no" ? "no" : "";
    this.node = el(
      "form.lab-form",
      { on: { submit: (event) => this.#submit(event, onReplay), change: () => this.#remember() } },
      labelled("Sessions", session),
      labelled("Window", window),
      labelled("A", a),
      labelled("B", b),
      labelled("Policies", others),
      this.#button,
      this.#offered,
    );
  }

  get value() {
    const { session, window, a, b, others } = this.#fields;
    return { session: session.value.trim(), window: window.value, a: a.value, b: b.value, others: others.value };
  }

  /** The sessions that the field offers: those that were worked through longest first. */
  offer(sessions) {
    const now = performance.now();
    if (now - this.#offeredAt < OFFER_EVERY_MS) return;
    this.#offeredAt = now;
    const ids = [...sessions]
      .sort((x, y) => y.turn - x.turn)
      .slice(0, OFFERED)
      .map(({ session_id }) => session_id);
    const shown = [...this.#offered.children].map((option) => option.value);
    if (ids.length === shown.length && ids.every((id, i) => id === shown[i])) return;
    this.#offered.replaceChildren(...ids.map((value) => el("option", { value })));
  }

  set busy(isBusy) {
    this.#button.disabled = isBusy;
  }

  /** Takes the choices of a replay that is shown. */
  show({ a, b, window }) {
    this.#choose(this.#fields.a, a, this.#fields.a.value);
    this.#choose(this.#fields.b, b, this.#fields.b.value);
    if (![...this.#fields.window.options].some(({ value }) => value === window)) {
      this.#fields.window.append(el("option", { value: window }, windowLabel(window)));
    }
    this.#fields.window.value = window;
  }

  #submit(event, onReplay) {
    event.preventDefault();
    this.#remember();
    const { session, window, a, b, others } = this.value;
    const rest = others === "no" ? [] : this.#catalogue.default_policies;
    onReplay({
      ...(session === "" ? {} : { session_ids: [session] }),
      policies: [...new Set([a, b, ...rest])].slice(0, 12),
      window,
    });
  }

  #remember() {
    const { session, window, a, b, others } = this.value;
    this.#fields.b.setCustomValidity(a === b ? "Choose another policy than A." : "");
    this.#app.setQuery({ session, window, a, b, others, run: null, replay: null });
  }

  #choose(select, name, otherwise) {
    select.value = name ?? otherwise;
    if (select.selectedIndex < 0) select.value = otherwise;
    if (select.selectedIndex < 0) select.selectedIndex = 0;
  }

  #select(id, options) {
    return el("select.field", { id }, ...options.map(([value, words]) => el("option", { value }, words)));
  }

  #policies(id) {
    const groups = KINDS.map(([kind, words]) => [words, this.#catalogue.policies.filter((own) => own.kind === kind)]);
    return el(
      "select.field",
      { id },
      ...groups
        .filter(([, own]) => own.length > 0)
        .map(([label, own]) =>
          el("optgroup", { label }, ...own.map(({ name }) => el("option", { value: name }, policyLabel(name)))),
        ),
    );
  }
}

function windows(asked) {
  const sizes = asked === null || WINDOWS.includes(asked) ? WINDOWS : [...WINDOWS, asked];
  return sizes.map((window) => [window, windowLabel(window)]);
}

function labelled(words, field) {
  return el("label.lab-field", { for: field.id }, el("span", {}, words), field);
}
