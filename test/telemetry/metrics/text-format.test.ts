import { describe, expect, it } from "vitest";
import { toPrometheusText, wantsPrometheusText } from "../../../src/telemetry/metrics/text-format.ts";

describe("the conversion to plain text", () => {
  it("gives counters their suffix back, and drops exemplars, units and the end mark", () => {
    const openMetrics = [
      "# HELP a_b Things.",
      "# TYPE a_b counter",
      'a_b_total{x="1"} 2 # {session_id="s"} 1 1700000000.1',
      "# TYPE c histogram",
      "# UNIT c seconds",
      'c_bucket{le="1"} 3 # {session_id="s"} 0.5 1700000000.1',
      "# EOF",
      "",
    ].join("\n");
    expect(toPrometheusText(openMetrics)).toBe(
      [
        "# HELP a_b_total Things.",
        "# TYPE a_b_total counter",
        'a_b_total{x="1"} 2',
        "# TYPE c histogram",
        'c_bucket{le="1"} 3',
        "",
      ].join("\n"),
    );
  });

  it("does not take a label value that looks like an exemplar for one", () => {
    const line = String.raw`a{x="1 # {y=\"2\"} 3 \\"} 4`;
    expect(toPrometheusText(`${line} # {s="t"} 5 6\n`)).toBe(`${line}\n`);
  });
});

describe("content negotiation", () => {
  it.each([
    [undefined, false],
    ["", false],
    ["*/*", false],
    ["text/plain", true],
    ["text/plain;version=0.0.4;charset=utf-8", true],
    ["text/plain, */*;q=0", true],
    ["text/html,application/xhtml+xml,*/*;q=0.8", true],
    ["application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1", false],
    ["application/openmetrics-text;q=0, text/plain", true],
    ["application/json", false],
  ])("Accept %s wants plain text: %s", (accept, wants) => {
    expect(wantsPrometheusText(accept)).toBe(wants);
  });
});
