import { el, icon, say } from "../../draw/dom.js";

/** What the daemon serves beside this page. Relative, so that a path prefix before the page is one before them. */
const LINKS = [
  ["metrics", "Metrics", "what Prometheus scrapes; scope metrics"],
  ["openrpc.json", "OpenRPC", "every method with its parameters and results"],
  ["asyncapi.json", "AsyncAPI", "every event of the stream"],
  ["healthz", "Health", "the state of each part, for probes and people"],
];

/**
 * Where else the daemon answers. `takesToken`: it asks for tokens, which a browser's tab does not send: then these are
 * addresses to copy, with the header that they take.
 */
export function linkList(takesToken) {
  return [
    el(
      "ul.system-links",
      {},
      ...LINKS.map(([path, name, words]) =>
        el(
          "li",
          {},
          takesToken ? el("b", {}, name) : link(path, name),
          el("span.dim", {}, words),
          ...(takesToken ? [address(path, name)] : []),
        ),
      ),
      el(
        "li",
        {},
        el("b", {}, "Dashboards"),
        el(
          "span.dim",
          {},
          "Grafana boards and alert rules come with contextd: the folders dashboards/ and config/, told in docs/dashboards.md and docs/alerts.md",
        ),
      ),
    ),
    takesToken
      ? el(
          "p.system-empty.hint",
          {},
          "This daemon asks for tokens, and a browser's tab does not send any: call these with the header ",
          el("code", {}, "Authorization: Bearer <token>"),
          ".",
        )
      : null,
  ].filter((node) => node !== null);
}

function link(path, name) {
  const more = el("span.unseen", {}, "(opens a tab)");
  return el("a.anchor", { href: path, target: "_blank", rel: "noopener" }, name, icon("out"), more);
}

function address(path, name) {
  const { href } = new URL(path, document.baseURI);
  const copy = el(
    "button.button",
    { type: "button", "aria-label": `Copy the address of ${name}` },
    icon("copy"),
    "Copy",
  );
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(href);
      say("The address was copied.");
    } catch {
      say("The browser does not let the page copy: select the address instead.");
    }
  });
  return el("span.system-address", {}, el("code", {}, href), copy);
}
