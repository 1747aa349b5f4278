import { screen as decision } from "./decision/screen.js";
import { screen as fleet } from "./fleet/screen.js";
import { screen as lab } from "./lab/screen.js";
import { screen as session } from "./session/screen.js";
import { screen as system } from "./system/screen.js";

/**
 * The screens, one line each. A screen is `{ name, pattern, tab, title(params), open(root, app, params) }`: `pattern` is
 * its address, with `:name` for what `params` holds, `tab` the tab that it stands under, `title` null for the page's
 * own. `open` fills `root`, an empty element, and returns what of this the screen has:
 *
 * - `apply(event, isNew)`: an event of the stream; not new: from before the lists were read.
 * - `paint(now)`: at most once a frame after `app.repaint()`, and once a second.
 * - `figures()`: `app.report` was read anew.
 * - `resync()`: events were missed, so read anew; scroll, choice and filters stay.
 * - `query(choices)`: only the choices in the address changed. Without it the screen is opened anew.
 * - `key(event)`: a key; true when it was used.
 * - `close()`: the screen is left.
 */
export const SCREENS = [fleet, session, decision, lab, system];
