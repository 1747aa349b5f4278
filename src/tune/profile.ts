import { mergeSettings, writeYaml } from "../config/index.ts";
import type { JsonObject } from "../model/json.ts";
import { settingsOf } from "./candidate.ts";
import { adopted, type TuneReport } from "./report.ts";
import { signed } from "./verdict.ts";

export interface ProfileOptions {
  readonly name: string;
  /** The profile that the search started from: a session has one profile, so the new one holds its settings too. */
  readonly base: JsonObject;
  readonly version: string;
  /** As it was typed. */
  readonly command: string;
  readonly writtenAt: Date;
}

/**
 * The profile as a piece of a config file, with a head that tells where it comes from. It changes nothing unless the
 * tuned settings are better on the held-back runs; those that are not stand in the head, to be tried by hand.
 */
export function profileText(report: TuneReport, options: ProfileOptions): string {
  const settings = mergeSettings(options.base, adopted(report));
  const profile = { profiles: { [options.name]: settings } };
  return `${head(report, options).map(comment).join("")}${writeYaml(profile)}`;
}

function head(report: TuneReport, { name, version, command, writtenAt }: ProfileOptions): string[] {
  const { training, held_back, objective, verdict } = report;
  const { line, far, grounded, cost } = held_back.all.difference;
  const lines = [
    `Written by contextd ${version} on ${writtenAt.toISOString()}:`,
    `  ${command}`,
    `Trained on ${training.runs} runs of ${training.tasks} tasks, measured on ${held_back.runs} runs of ${held_back.tasks} other tasks,`,
    `windows ${report.windows.join(", ")}; tokens by ${report.count}; ${report.tried} settings tried, objective ${objective.name}, seed ${report.seed}.`,
    report.sentence,
  ];
  if (verdict !== "kept") {
    lines.push(
      "On the held-back runs, tuned less present settings, with 95 % intervals:",
      `  line recall ${signed(line)}, far ${signed(far)}, grounded ${signed(grounded)}, cost ${signed(cost)}`,
    );
  }
  if (verdict === "better")
    lines.push(`To use it, put it into the config and set \`profile: ${name}\`, or name it in session.open.`);
  else lines.push("This profile changes nothing.");
  if (verdict === "equal" || verdict === "worse") {
    lines.push(
      "The settings that were tried:",
      ...writeYaml(settingsOf(report.changes))
        .trimEnd()
        .split("\n")
        .map((text) => `  ${text}`),
    );
  }
  return lines;
}

/** A line of a comment; what was typed may hold anything, line breaks too. */
function comment(text: string): string {
  return `# ${text.replace(/[\p{Cc}\p{Zl}\p{Zp}]/gu, " ")}\n`;
}
