import { el } from "../../draw/dom.js";
import { KINDS } from "./event-kinds.js";

/** Which events the tail shows: kept in the address as `?events=<kind>&of=<part of an id>`. */
export function tailFilter({ kind: select, words: field }, tail, app) {
  select.append(
    el("option", { value: "" }, "All kinds"),
    ...Object.entries(KINDS).map(([kind, name]) => el("option", { value: kind }, name)),
  );
  const read = () => {
    select.value = app.query.get("events") ?? "";
    if (select.selectedIndex < 0) select.value = "";
    field.value = app.query.get("of") ?? "";
    tail.filter(select.value, field.value);
  };
  const changed = () => {
    app.setQuery({ events: select.value, of: field.value.trim() });
    tail.filter(select.value, field.value);
  };
  select.addEventListener("change", changed);
  field.addEventListener("input", changed);
  read();
  return read;
}
