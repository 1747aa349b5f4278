import { el, icon, say, setText } from "../../draw/dom.js";

/** The config in force as sections that open, filtered by path and value; the whole of it as YAML to copy. */
export class ConfigView {
  node;
  #tree;
  #count;
  #path;
  #field;
  #yaml = "";
  #shown = null;
  #sections = [];

  constructor(app) {
    this.#field = el("input.field", {
      type: "search",
      "aria-label": "Filter the config",
      placeholder: "Filter by key or value",
      autocomplete: "off",
      spellcheck: "false",
      on: { input: () => this.#filter() },
    });
    this.#field.value = app.query.get("config") ?? "";
    this.#field.addEventListener("input", () => app.setQuery({ config: this.#field.value.trim() }));
    const copy = el(
      "button.button",
      { type: "button", on: { click: () => this.#copy(copy) } },
      icon("copy"),
      "Copy YAML",
    );
    this.#tree = el("div.config-tree");
    this.#count = el("span.hint", { role: "status" });
    this.#path = el("span.hint.config-path");
    this.node = el(
      "section.panel.system-wide",
      { "aria-labelledby": "config-title" },
      el(
        "header.panel-head",
        {},
        el("h2", { id: "config-title" }, "Config in force"),
        this.#path,
        this.#count,
        this.#field,
        copy,
      ),
      this.#tree,
    );
  }

  show({ path, in_force, yaml, reload }) {
    const file = path === null ? "No file was named: defaults and environment." : path;
    const outcome = reload === null ? "" : ` Last reload: ${reload.detail}.`;
    setText(this.#path, `${file}${outcome}`);
    this.#yaml = yaml;
    if (yaml === this.#shown) return;
    this.#shown = yaml;
    const open = new Set(this.#sections.filter(({ node }) => node.open).map(({ name }) => name));
    this.#sections = Object.entries(in_force).map(([name, value]) => section(name, value, open.has(name)));
    this.#tree.replaceChildren(...this.#sections.map(({ node }) => node));
    this.#filter();
  }

  #filter() {
    const needle = this.#field.value.trim().toLowerCase();
    let found = 0;
    let all = 0;
    for (const { node, entries } of this.#sections) {
      let here = 0;
      for (const { text, row } of entries) {
        const isWanted = needle === "" || text.includes(needle);
        row.hidden = !isWanted;
        if (isWanted) here++;
      }
      all += entries.length;
      found += here;
      node.hidden = here === 0;
      if (needle !== "") node.open = here > 0;
    }
    const words = needle === "" ? `${all} keys` : found === 0 ? "Nothing has it." : `${found} of ${all} keys`;
    setText(this.#count, words);
  }

  async #copy(button) {
    const done = (await toClipboard(this.#yaml)) ? "Copied" : "The browser did not allow it";
    say(done);
    button.lastChild.textContent = done;
    setTimeout(() => {
      button.lastChild.textContent = "Copy YAML";
    }, 2_000);
  }
}

function section(name, value, isOpen) {
  const entries = [...leavesOf([name], value)].map(({ path, value: leaf }) => {
    const words = valueWords(leaf);
    const row = el("div", {}, el("dt.mono", {}, path), el("dd.mono", {}, words));
    if (leaf === "<secret>") row.classList.add("secret");
    return { text: `${path} ${words}`.toLowerCase(), row };
  });
  const node = el(
    "details",
    {},
    el(
      "summary",
      {},
      el("b", {}, name),
      el("span.hint", {}, `${entries.length} ${entries.length === 1 ? "key" : "keys"}`),
    ),
    el("dl", {}, ...entries.map(({ row }) => row)),
  );
  node.open = isOpen;
  return { name, node, entries };
}

/** Each value with its path; lists of plain values count as one. */
function* leavesOf(path, value) {
  const isNested = value !== null && typeof value === "object" && Object.keys(value).length > 0;
  const isPlainList = Array.isArray(value) && value.every((each) => each === null || typeof each !== "object");
  if (!isNested || isPlainList) {
    yield { path: path.join("."), value };
    return;
  }
  for (const [key, member] of Object.entries(value)) yield* leavesOf([...path, key], member);
}

function valueWords(value) {
  if (Array.isArray(value)) return value.length === 0 ? "[]" : value.join(", ");
  if (value !== null && typeof value === "object") return "{}";
  if (value === null) return "null";
  return value === "" ? '""' : String(value);
}

/** Outside a secure context there is no clipboard but that of a selected field. */
async function toClipboard(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = el("textarea.unseen", { "aria-hidden": "true", tabindex: "-1" });
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand("copy");
    area.remove();
    return copied;
  }
}
