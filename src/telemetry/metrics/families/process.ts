import { readdirSync } from "node:fs";
import { constants, type IntervalHistogram, monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";
import { Counter, Gauge, Histogram } from "prom-client";
import type { MetricFamily, MetricsRegistry } from "../family.ts";

const NANOSECONDS = 1e9;
/** Milliseconds between two looks at the event loop. */
const LOOP_RESOLUTION_MS = 10;

/**
 * The customary metrics of a Node process under their customary names. prom-client's own collector is not used: its
 * monitors can never be stopped, so each daemon in a process would leak one, and some of its names fail promtool's lint.
 */
export const processMetrics: MetricFamily = ({ registry }) => {
  cpu(registry);
  memory(registry);
  fileDescriptors(registry);
  const loop = eventLoop(registry);
  const collections = garbageCollection(registry);
  return {
    close() {
      loop.disable();
      collections.disconnect();
    },
  };
};

function cpu(registry: MetricsRegistry): void {
  for (const mode of ["user", "system"] as const) {
    new Counter({
      name: `process_cpu_${mode}_seconds_total`,
      help: `CPU time of the process in ${mode} mode.`,
      registers: [registry],
      collect() {
        this.reset();
        this.inc(process.cpuUsage()[mode] / 1e6);
      },
    });
  }
  new Gauge({
    name: "process_start_time_seconds",
    help: "When the process started, seconds since the epoch.",
    registers: [registry],
  }).set(Math.round(performance.timeOrigin / 1000));
}

function memory(registry: MetricsRegistry): void {
  const gauge = (name: string, help: string, read: () => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
  };
  gauge("process_resident_memory_bytes", "Resident memory.", () => process.memoryUsage.rss());
  gauge("nodejs_heap_size_used_bytes", "JavaScript heap in use.", () => process.memoryUsage().heapUsed);
  gauge("nodejs_heap_size_total_bytes", "JavaScript heap reserved.", () => process.memoryUsage().heapTotal);
  gauge(
    "nodejs_external_memory_bytes",
    "Buffers and what else the heap holds outside.",
    () => process.memoryUsage().external,
  );
}

function fileDescriptors(registry: MetricsRegistry): void {
  if (process.platform !== "linux") return;
  new Gauge({
    name: "process_open_fds",
    help: "Open file descriptors.",
    registers: [registry],
    collect() {
      this.set(readdirSync("/proc/self/fd").length);
    },
  });
}

function eventLoop(registry: MetricsRegistry): IntervalHistogram {
  const delay = monitorEventLoopDelay({ resolution: LOOP_RESOLUTION_MS });
  delay.enable();
  // The monitor counts its own interval in, and knows nothing before its first tick.
  const late = (nanoseconds: number): number =>
    delay.count === 0 ? 0 : Math.max(0, nanoseconds / NANOSECONDS - LOOP_RESOLUTION_MS / 1000);
  for (const quantile of [50, 99]) {
    new Gauge({
      name: `nodejs_eventloop_lag_p${quantile}_seconds`,
      help: `How late the event loop ran since the last scrape, ${quantile}th percentile.`,
      registers: [registry],
      collect() {
        this.set(late(delay.percentile(quantile)));
      },
    });
  }
  new Gauge({
    name: "nodejs_eventloop_lag_max_seconds",
    help: "How late the event loop ran since the last scrape, at worst.",
    registers: [registry],
    collect() {
      this.set(late(delay.max));
      // The last of the three to be asked: the next scrape begins anew.
      delay.reset();
    },
  });
  return delay;
}

const COLLECTIONS: Readonly<Record<number, string>> = {
  [constants.NODE_PERFORMANCE_GC_MAJOR]: "major",
  [constants.NODE_PERFORMANCE_GC_MINOR]: "minor",
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL]: "incremental",
  [constants.NODE_PERFORMANCE_GC_WEAKCB]: "weakcb",
};

function garbageCollection(registry: MetricsRegistry): PerformanceObserver {
  const duration = new Histogram({
    name: "nodejs_gc_duration_seconds",
    help: "Pauses by garbage collection, by kind.",
    labelNames: ["kind"],
    buckets: [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1],
    registers: [registry],
  });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      const { kind } = (entry as unknown as { detail: { kind: number } }).detail;
      duration.observe({ kind: COLLECTIONS[kind] ?? "other" }, entry.duration / 1000);
    }
  });
  observer.observe({ entryTypes: ["gc"] });
  return observer;
}
