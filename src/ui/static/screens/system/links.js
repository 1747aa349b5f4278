import { el, icon } from "../../draw/dom.js";

/** What the daemon serves beside this page. Relative, so that a path prefix before the page is one before them. */
const LINKS = [
  ["metrics", "Metrics", "what Prometheus scrapes; scope metrics"],
  ["openrpc.json", "OpenRPC", "every method with its parameters and results"],
  ["asyncapi.json", "AsyncAPI", "every event of the stream"],
  ["healthz", "Health", "the state of each part, for probes and people"],
];

export function linkList() {
  return [
    el(
      "ul.system-links",
      {},
      ...LINKS.map(([path, name, words]) =>
        el(
          "li",
          {},
          el(
            "a.anchor",
            { href: path, target: "_blank", rel: "noopener" },
            name,
            icon("out"),
            el("span.unseen", {}, "(opens a tab)"),
          ),
          el("span.dim", {}, words),
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
    el(
      "p.system-empty.hint",
      {},
      "Where tokens are asked for, these take one as a bearer header, which a browser's tab does not send.",
    ),
  ];
}
