import { shortened } from "../draw/names.js";

/**
 * The screens, one line each: `{ name, pattern, tab, title(params), load() }`. `pattern` is its address, with `:name` for
 * what `params` holds, `tab` the tab that it stands under, `title` null for the page's own. `load` gives the screen's
 * module, read when it is first opened, or when there is nothing else to do; its `open(root, app, params)` fills `root`,
 * an empty element, and returns what of this the screen has:
 *
 * - `apply(event, isNew)`: an event of the stream; not new: from before the lists were read.
 * - `paint(now)`: at most once a frame after `app.repaint()`, and once a second.
 * - `figures()`: `app.report` was read anew.
 * - `resync()`: events were missed, so read anew; scroll, choice and filters stay.
 * - `query(choices)`: only the choices in the address changed. Without it the screen is opened anew.
 * - `key(event)`: a key; true when it was used.
 * - `close()`: the screen is left.
 */
export const SCREENS = [
  { name: "fleet", pattern: ["fleet"], tab: "fleet", title: () => null, load: () => import("./fleet/screen.js") },
  {
    name: "session",
    pattern: ["session", ":session"],
    tab: "fleet",
    title: ({ session }) => shortened(session),
    load: () => import("./session/screen.js"),
  },
  {
    name: "decision",
    pattern: ["session", ":session", "decision", ":pass"],
    tab: "fleet",
    title: ({ session, pass }) => `Decision ${shortened(pass)}, ${shortened(session)}`,
    load: () => import("./decision/screen.js"),
  },
  { name: "lab", pattern: ["lab"], tab: "lab", title: () => "Policy lab", load: () => import("./lab/screen.js") },
  {
    name: "system",
    pattern: ["system"],
    tab: "system",
    title: () => "System",
    load: () => import("./system/screen.js"),
  },
];
