import { SessionScreen } from "./session-screen.js";

/** One session: how full it is, what of, what was decided and why, and what it would let go next. */
export const open = (root, app, { session }) => new SessionScreen(root, app, session);
