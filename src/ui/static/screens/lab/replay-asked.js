import { el } from "../../draw/dom.js";
import { shortened } from "../../draw/names.js";

/**
 * The replay that the address asks for: the one that it names, else the latest one with its choices; undefined: none is.
 * `isUnknown`: it names one that the daemon does not have, and no other is shown in its place.
 */
export function replayAsked(replays, query) {
  const name = query.get("replay");
  if (name !== null) {
    const named = replays.find(({ replay_id }) => replay_id === name);
    return { replay: named, isUnknown: named === undefined };
  }
  const is = (choice, value) => query.get(choice) === null || query.get(choice) === value;
  const replay = replays.find(
    ({ policies_asked: [a, b], window, session_ids, status }) =>
      isShown(status) &&
      is("a", a) &&
      is("b", b) &&
      is("window", window) &&
      (query.get("session") === null || (session_ids.length === 1 && session_ids[0] === query.get("session"))),
  );
  return { replay, isUnknown: false };
}

/** That a replay is not known, with a way to the latest of those that are. */
export function unknownReplay(app, name, replays) {
  const latest = replays.find(({ status }) => isShown(status));
  const said = `The replay ${shortened(name, 40)} is not known: the daemon keeps its last ones until it ends. `;
  return latest === undefined
    ? el("p", {}, said, "Choose two policies and replay.")
    : el("p", {}, said, el("a.anchor", { href: app.href(["lab"], { replay: latest.replay_id }) }, "Show the latest"));
}

function isShown(status) {
  return status === "done" || status === "running";
}
