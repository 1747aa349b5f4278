import type { AlertNotice } from "../notice.ts";
import type { WebhookTemplate } from "./template.ts";

const COLOURS = { critical: "#d92d20", warning: "#f79009", info: "#2e90fa", resolved: "#12b76a" };
/** Labels that are worth a field, in this order. */
const FIELDS = ["session", "agent", "profile", "model", "tenant", "instance"];

/** Slack's incoming webhooks: a line of text, and an attachment in the colour of the severity. */
export const slack: WebhookTemplate = {
  url: null,
  body(notice) {
    const { status, severity, annotations, labels, turn } = notice;
    const { summary, description } = annotations;
    const mark = status === "resolved" ? "RESOLVED" : severity.toUpperCase();
    const fields = FIELDS.flatMap((name) => {
      const value = labels[name];
      return value === undefined ? [] : [{ title: name, value: escaped(value), short: true }];
    });
    return {
      text: `[${mark}] ${escaped(summary)}`,
      attachments: [
        {
          color: COLOURS[status === "resolved" ? "resolved" : severity],
          fallback: `[${mark}] ${escaped(`${summary}: ${description}`)}`,
          text: `${escaped(description)}\n${linksOf(notice)}`,
          fields: [...fields, { title: "turn", value: String(turn), short: true }],
          mrkdwn_in: [],
          footer: "contextd",
          ts: Math.floor((notice.endsAt ?? notice.startsAt) / 1000),
        },
      ],
    };
  },
};

/** Links that Slack can follow; a path within the sources is told as it is. */
function linksOf({ annotations: { runbook_url, dashboard_url, page_url } }: AlertNotice): string {
  const link = (url: string, name: string) =>
    /^https?:/.test(url) ? `<${escaped(url).replaceAll("|", "%7C")}|${name}>` : `${name}: ${escaped(url)}`;
  return `${link(page_url, "Session")}  ${link(runbook_url, "Runbook")}  ${link(dashboard_url, "Dashboard")}`;
}

/** Names are agents' words: nothing in them may mention a channel or make a link. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
