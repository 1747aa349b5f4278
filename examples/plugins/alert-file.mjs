// A sink of one's own: alerts as lines of a file.
//
//   # contextd.yaml
//   plugins: [./examples/plugins/alert-file.mjs]
//   telemetry: { alert_sinks: { alert_file: { severities: [critical], options: { path: ./alerts.log } } } }
import { appendFile } from "node:fs/promises";
import { z } from "zod";

const options = z.strictObject({
  path: z.string().min(1).default("alerts.log").describe("File that lines are appended to."),
});

export const sinks = {
  alert_file: {
    summary: "Appends a line to a file for each alert and its end.",
    options,
    configure(given) {
      const { path } = options.parse(given ?? {});
      return {
        // Called again later when it rejects, unless the error says `permanent: true`.
        async deliver(notices) {
          const lines = notices.map(({ status, severity, fingerprint, annotations }) =>
            [status, severity, fingerprint, annotations.summary, annotations.description].join("\t"),
          );
          await appendFile(path, `${lines.join("\n")}\n`);
        },
      };
    },
  },
};
