import { el } from "../../draw/dom.js";
import { panel } from "./panel.js";
import { policyLabel } from "./words.js";

const PROFILE = "profile:";

/** What to put into the config so that sessions have B, or so that it is tried beside their own policy first. */
export function useB(b, kind) {
  const { node, hint, body } = panel("Use B", "lab-use");
  hint.textContent = policyLabel(b);
  if (kind === "bound" || kind === "peer") {
    const why =
      kind === "bound"
        ? "B is a bound: it sees the future of a run, or never takes anything out. No session can have it."
        : "B runs without contextd: it is here to compare with. No session can have it.";
    body.append(el("p.hint", {}, why));
    return node;
  }
  const isProfile = b.startsWith(PROFILE);
  const own = isProfile ? `profile: ${yaml(b.slice(PROFILE.length))}\n` : `eviction:\n  policy: ${yaml(b)}\n`;
  body.append(
    el(
      "div.lab-snippets",
      {},
      isProfile ? null : snippet("Try it first: beside the live policy, changing nothing", shadowed(b)),
      snippet("For new sessions: in the config, then reload it", own),
    ),
  );
  return node;
}

function shadowed(b) {
  return `shadow:\n  candidates:\n    ${yaml(b)}:\n      eviction: { policy: ${yaml(b)} }\n`;
}

/** A name as YAML reads it back as the same text. */
function yaml(name) {
  return /^[A-Za-z_][A-Za-z0-9_-]*$/.test(name) && !/^(true|false|null|yes|no|on|off)$/i.test(name)
    ? name
    : JSON.stringify(name);
}

function snippet(words, code) {
  const copied = el("span.hint", { role: "status" });
  const copy = el("button.button", { type: "button" }, "Copy");
  copy.hidden = navigator.clipboard === undefined;
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code);
      copied.textContent = "Copied.";
    } catch {
      copied.textContent = "Not allowed here: select the text.";
    }
  });
  return el(
    "figure.lab-snippet",
    {},
    el("figcaption", {}, words),
    el("pre", { tabindex: "0" }, el("code", {}, code)),
    el("div.actions", {}, copy, copied),
  );
}
