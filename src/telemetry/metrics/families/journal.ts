import { Counter, Gauge, Histogram } from "prom-client";
import type { MetricFamily } from "../family.ts";

export const journal: MetricFamily = ({ registry, options, dependencies }) => {
  const labels = { store: options.store, op: "append" };
  const duration = new Histogram({
    name: "contextd_journal_append_duration_seconds",
    help: "Time of a group commit, fsync included.",
    labelNames: ["store", "op"],
    buckets: [0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5],
    registers: [registry],
    collect() {
      // This family is asked for first, so it takes the commits for both histograms.
      for (const { rows, seconds } of dependencies.journalStats().drainCommits()) {
        duration.observe(labels, Math.max(0, seconds));
        batch.observe(labels, rows);
      }
    },
  });
  const batch = new Histogram({
    name: "contextd_journal_batch_size",
    help: "Rows in a group commit.",
    labelNames: ["store", "op"],
    buckets: [1, 2, 4, 8, 16, 32, 64, 128, 256],
    registers: [registry],
  });
  new Counter({
    name: "contextd_store_errors_total",
    help: "Appends that the store refused or failed.",
    labelNames: ["store", "op"],
    registers: [registry],
    collect() {
      this.reset();
      this.inc(labels, dependencies.journalStats().errors);
    },
  });
  new Gauge({
    name: "contextd_journal_queue_rows",
    help: "Rows that wait for a group commit.",
    labelNames: ["store"],
    registers: [registry],
    collect() {
      this.set({ store: options.store }, dependencies.journalStats().queued);
    },
  });
  new Gauge({
    name: "contextd_journal_size_bytes",
    help: "Bytes of the store on disk, by file.",
    labelNames: ["store", "file"],
    registers: [registry],
    collect() {
      const { fileBytes, walBytes } = dependencies.journalStats();
      this.set({ store: options.store, file: "main" }, fileBytes);
      this.set({ store: options.store, file: "wal" }, walBytes);
    },
  });
  return {};
};
