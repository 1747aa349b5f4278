import type { Logger } from "./log.ts";
import type { Clock } from "./model/clock.ts";
import type { Journal } from "./store/index.ts";

/** Makes room: what closed sessions no longer need. A failure is told, and tried again at the next time. */
export function prune(journal: Journal, hours: number, clock: Clock, log: Logger): void {
  journal.prune({ closedBefore: clock.now() - hours * 3_600_000 }).then(
    (report) => report.rows > 0 && log.info(report, "closed sessions were pruned"),
    (error: unknown) => log.warn({ err: error }, "closed sessions could not be pruned"),
  );
}
