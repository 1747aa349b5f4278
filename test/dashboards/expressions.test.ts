import { describe, expect, it } from "vitest";
import {
  grown,
  matching,
  mean,
  now,
  orZero,
  perSecond,
  quantile,
  share,
  shareUpTo,
  sum,
} from "../../src/dashboards/promql.ts";

const ALL = 'job=~"$job", instance=~"$instance"';

describe("expressions", () => {
  it("are narrowed by the variables whose labels the metric has, and no others", () => {
    expect(now("contextd_build_info").text).toBe(`contextd_build_info{${ALL}}`);
    expect(now("contextd_sessions", { zone: "red" }).text).toBe(
      `contextd_sessions{${ALL}, profile=~"$profile", zone="red"}`,
    );
    expect(now("contextd_calibration_factor").text).toBe(`contextd_calibration_factor{${ALL}, model=~"$model"}`);
  });

  it("remember the metrics that they read, histograms by their own name", () => {
    expect(mean("contextd_compression_ratio", ["strategy"]).metrics).toEqual(["contextd_compression_ratio"]);
    const both = share(sum(perSecond("contextd_regret_total")), sum(perSecond("contextd_recalls_total")));
    expect(both.metrics).toEqual(["contextd_regret_total", "contextd_recalls_total"]);
  });

  it("sum a histogram's buckets before they ask for a quantile", () => {
    expect(quantile(0.9, "contextd_hook_duration_seconds", ["method"], { outcome: matching("a|b") }).text).toBe(
      `histogram_quantile(0.9, sum by (le, method) (rate(contextd_hook_duration_seconds_bucket{${ALL}, outcome=~"a|b"}[$__rate_interval])))`,
    );
  });

  it("find a bucket's bound as both Prometheus 2 and 3 write it", () => {
    expect(shareUpTo(5, "contextd_turns_until_red").text).toContain('le=~"5|5\\\\.0"');
    expect(shareUpTo(0.5, "contextd_turns_until_red").text).toContain('le=~"0\\\\.5"');
  });

  it("share failures so that nothing failed is 0, and nothing at all is absent", () => {
    const failed = sum(perSecond("contextd_recalls_total", { outcome: "served" }));
    const all = sum(perSecond("contextd_recalls_total"));
    expect(share(failed, all).text).toBe(`(${failed.text} or vector(0)) / (${all.text} > 0)`);
    expect(orZero(failed).text).toBe(`(${failed.text} or vector(0))`);
  });

  it("count a rare event from the first one on, which a counter is born with", () => {
    const series = `contextd_overflows_total{${ALL}, profile=~"$profile"}`;
    expect(grown("contextd_overflows_total", {}, "1h").text).toBe(
      `(${series} unless ${series} offset 1h or increase(${series}[1h]) > 0)`,
    );
  });
});
