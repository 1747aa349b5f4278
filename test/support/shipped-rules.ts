import { readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { parse } from "yaml";

export const CONFIG = resolve(import.meta.dirname, "../../config");
export const RUNBOOKS = resolve(import.meta.dirname, "../../docs/runbooks");

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  readonly for?: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

interface RecordingRule {
  readonly record: string;
  readonly expr: string;
}

interface Checked {
  readonly eval_time: string;
  readonly alertname: string;
  readonly exp_alerts?: readonly {
    readonly exp_labels: Readonly<Record<string, string>>;
    readonly exp_annotations: Readonly<Record<string, string>>;
  }[];
}

/** One case of a file of config/prometheus/tests. */
export interface RuleCase {
  readonly name: string;
  readonly alert_rule_test: readonly Checked[];
}

interface RuleFile {
  readonly groups: readonly { readonly name: string; readonly rules: readonly (AlertRule | RecordingRule)[] }[];
}

function readRules(name: string): readonly (AlertRule | RecordingRule)[] {
  const file = parse(readFileSync(join(CONFIG, "prometheus/rules", name), "utf8")) as RuleFile;
  return file.groups.flatMap(({ rules }) => rules);
}

/** The alerts that are shipped for Prometheus; some names more than once, by severity. */
export const alertRules = readRules("contextd.alerts.yml").filter((rule): rule is AlertRule => "alert" in rule);
export const recordingRules = readRules("contextd.recording.yml").filter(
  (rule): rule is RecordingRule => "record" in rule,
);
export const alertNames = [...new Set(alertRules.map(({ alert }) => alert))];

/** Names of the alerts that the daemon raises itself, with their severities. */
export const daemonAlerts: ReadonlyMap<string, string> = new Map(
  [
    ...readFileSync(resolve(import.meta.dirname, "../../src/manager/alerts.ts"), "utf8").matchAll(
      /^ {2}(\w+): "(critical|warning|info)",$/gm,
    ),
  ].map(([, name, severity]) => [name as string, severity as string]),
);

export const ruleTestFiles = readdirSync(join(CONFIG, "prometheus/tests")).sort();

/** The cases of an alert: `<Alert>.yml`, and any `<Alert>.<more>.yml`. */
export function casesOf(alert: string): RuleCase[] {
  const files = ruleTestFiles.filter((file) => basename(file).split(".")[0] === alert);
  return files.flatMap(
    (file) => (parse(readFileSync(join(CONFIG, "prometheus/tests", file), "utf8")) as { tests: RuleCase[] }).tests,
  );
}

/** Names of metrics in an expression, without what PromQL adds to those of histograms; recorded ones apart. */
export function namesIn(expr: string): { metrics: string[]; recorded: string[] } {
  const recorded = expr.match(/\w+:contextd_\w+:\w+/g) ?? [];
  const rest = expr.replaceAll(/\w+:contextd_\w+:\w+/g, "");
  const metrics = rest.match(/\b(?:contextd|process|nodejs)_\w+/g) ?? [];
  return { metrics: metrics.map((name) => name.replace(/_(bucket|sum|count)$/, "")), recorded };
}
