import { reasonLine } from "../../app/guard.js";
import { el, icon } from "../../draw/dom.js";
import { compact, percent, whole } from "../../draw/format.js";

/**
 * What can be done about a block that went: bring it back, or pin what is left of it. `content` as `content.get` told
 * it, `done` the words of what was done here before; `onDone(words, isBack)` when the daemon did it.
 */
export function blockActions(app, sessionId, block, content, done, onDone) {
  const isBack = done?.isBack === true || (content.in_context && content.state === "whole");
  const buttons = [];
  const why = el("p.hint.why-off", { hidden: "" });
  const rule = { isClosed: () => content.closed === true || app.isClosed(sessionId), told: reasonLine(why) };
  const said = el("p.wrong", { role: "alert", hidden: "" });
  const act = (label, symbol, run) => {
    const button = app.guard.button(el("button.button", { type: "button" }, icon(symbol), label), rule);
    button.addEventListener("click", async () => {
      said.hidden = true;
      try {
        const words = await run();
        if (words !== null) onDone(words, symbol === "recall");
      } catch (error) {
        said.textContent = error.message;
        said.hidden = false;
      }
    });
    buttons.push(button);
  };
  if (!isBack) act("Bring back", "recall", () => bringBack(app, sessionId, block, content));
  if (content.in_context && !isBack) act(pinWords(content), "pin", () => pin(app, sessionId, block, content));
  return el(
    "div.block-actions",
    {},
    isBack || done !== null
      ? el("p.back.num", { tabindex: "-1" }, icon("kept"), done?.words ?? "Back in the context.")
      : null,
    ...buttons,
    why,
    said,
  );
}

function pinWords({ state }) {
  return state === "cleared" || state === "merged" ? "Pin placeholder" : "Pin what is left";
}

async function bringBack(app, sessionId, block, content) {
  // Blocks are told uncalibrated; what the context grows by is told in the unit of its own figures.
  const added = content.restore_tokens ?? content.original_tokens - content.current_tokens;
  const agreed = await app.confirm({
    title: "Bring the original back?",
    body: [
      `${addsWords(content, added)} ${fullness(app, sessionId, added)}`,
      "It is pinned, so no later pass takes it. What stands behind it in the prompt is written to the provider's cache once more. The journal keeps who asked.",
    ],
    action: `Bring back ${compact(added)} tok`,
  });
  if (!agreed) return null;
  const answer = await app.call("context.restore", { session_id: sessionId, block_id: block.block_id });
  const where = answer.in_place ? "in its place" : "at the end of the context";
  return `Brought back ${where}: the context has ${whole(answer.tokens_added)} tok more.`;
}

/** Where the original goes, and what the context has more by it. */
function addsWords({ in_context: isThere }, added) {
  return isThere
    ? `Adds ${whole(added)} tok: the original takes the place of what stands there now.`
    : `Adds ${whole(added)} tok: the original comes at the end of the context, in a message that says what it is.`;
}

/** What the context comes to: its zone is left to the daemon, the share is told with the session's own red line. */
function fullness(app, sessionId, added) {
  const session = app.fleet.sessions.get(sessionId);
  if (session === undefined) return "";
  const { tokens, max_tokens: max, thresholds } = session;
  const share = (tokens + added) / max;
  const zone = ["red", "orange", "yellow"].find((name) => share >= thresholds[name]) ?? "green";
  return `The context goes from ${percent(tokens / max)} to about ${percent(share)}, which is ${zone}.`;
}

async function pin(app, sessionId, block, content) {
  const agreed = await app.confirm({
    title: "Pin what is left of it?",
    body: [
      `${whole(content.current_tokens)} tok stay as they are: no later pass edits or drops them. The original does not come back by this.`,
      "The journal keeps who asked.",
    ],
    action: "Pin",
  });
  if (!agreed) return null;
  await app.call("context.pin", { session_id: sessionId, block_ids: [block.block_id] });
  return "Pinned.";
}
