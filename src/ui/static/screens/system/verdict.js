/** What is wrong with the daemon, in words. Pure: the report of `system.report` in, sentences out. */

/** Limits from which a figure is told as a warning. */
const QUEUED_ROWS = 500;
const LOOP_MS = 250;
const WAITING_NOTICES = 100;
const COUNT_ERROR = 0.1;
const REFUSED_SHARE = 0.05;
/** Fewer calls of a method say nothing of a share. */
const LEAST_CALLS = 50;

/**
 * Problems, the worst first: { part, level, text, id }. `part` is the panel that the figure stands in; `id` names the
 * figure there. Levels: 2 something is lost or may be, 1 something is worse than it should be.
 */
export function problemsOf(report) {
  const problems = [
    ...journalProblems(report.journal),
    ...outputProblems(report.outputs),
    ...modelProblems(report.models),
    ...processProblems(report),
    ...report.estimator
      .filter(({ error }) => Math.abs(error) > COUNT_ERROR)
      .map(({ model, error }) => problem("estimator", 1, `Counts for ${model} are off by ${share(error)}.`, model)),
    ...report.hooks
      .filter(({ count, errors }) => count >= LEAST_CALLS && errors / count > REFUSED_SHARE)
      .map(({ method, count, errors }) =>
        problem("hooks", 1, `${errors} of ${count} calls of ${method} were answered with an error.`, method),
      ),
  ];
  return problems.sort((a, b) => b.level - a.level);
}

/** The screen's sentence: the worst that there is to say, or that all is well. */
export function headlineOf(report, problems) {
  const [worst] = problems;
  if (worst !== undefined) return { level: worst.level, text: worst.text };
  return { level: 0, text: report.journal.durable ? "Ready, and writing." : "Ready, in memory only." };
}

/** What stands below it: the build, its age, and what an answer promises. */
export function promiseOf({ journal }) {
  if (!journal.durable) return "What was answered does not outlive this process.";
  return journal.settings.synchronous === "FULL"
    ? "Each hook is on disk before it is answered."
    : `The store is written with synchronous ${journal.settings.synchronous ?? "unknown"}.`;
}

function journalProblems({ errors, queued, checkpoint_errors }) {
  return [
    errors > 0 && problem("journal", 2, `${appends(errors)} failed since the start.`, "errors"),
    queued > QUEUED_ROWS && problem("journal", 2, `The journal falls behind: ${queued} rows wait.`, "queued"),
    checkpoint_errors > 0 && problem("journal", 1, "Checkpoints of the store's log have failed.", "wal"),
  ].filter(Boolean);
}

function outputProblems({ alert_sinks, grafana_live, otlp, events }) {
  const lost = ({ outcomes }) => (outcomes.given_up ?? 0) + (outcomes.refused ?? 0);
  return [
    ...alert_sinks
      .filter((sink) => lost(sink) > 0)
      .map((sink) => problem("outputs", 2, `${notices(lost(sink))} did not reach ${sink.sink}.`, sink.sink)),
    ...alert_sinks
      .filter((sink) => lost(sink) === 0 && sink.waiting > WAITING_NOTICES)
      .map((sink) => problem("outputs", 1, `${notices(sink.waiting)} wait for ${sink.sink}.`, sink.sink)),
    grafana_live !== null &&
      grafana_live.connected === null &&
      grafana_live.waiting > 0 &&
      problem("outputs", 1, "Grafana Live is not connected, and lines wait.", "grafana_live"),
    otlp !== null &&
      (otlp.given_up ?? 0) + (otlp.rejected ?? 0) > 0 &&
      problem("outputs", 1, "Some spans were not taken by the collector.", "otlp"),
    events.evicted > 0 &&
      problem("outputs", 1, "A client of the event stream was cut off: it did not keep up.", "events"),
  ].filter(Boolean);
}

function modelProblems(models) {
  const words = {
    open: "is not asked: it has failed too often. Rules do its work.",
    half_open: "had failed too often: the next call tries whether it is back.",
  };
  return models
    .filter(({ breaker }) => words[breaker] !== undefined)
    .map(({ role, model, breaker }) => problem("models", 1, `The ${role} ${model} ${words[breaker]}`, role));
}

function processProblems({ process, config }) {
  return [
    process.loop_p99_ms > LOOP_MS &&
      problem("process", 1, `The event loop runs ${Math.round(process.loop_p99_ms)} ms late.`, "loop"),
    config.reload?.successful === false &&
      problem("process", 2, "The last reload was refused: the config before it is in force.", "config"),
  ].filter(Boolean);
}

function problem(part, level, text, id) {
  return { part, level, text, id };
}

function appends(n) {
  return n === 1 ? "1 append" : `${n} appends`;
}

function notices(n) {
  return n === 1 ? "1 notice" : `${n} notices`;
}

function share(error) {
  return `${error < 0 ? "−" : "+"}${Math.abs(error * 100).toFixed(1)}%`;
}
