import { Counter } from "prom-client";
import { type MetricFamily, profileOf } from "../family.ts";

export const windowsOpened: MetricFamily = ({ registry, bounds }) => {
  const opened = new Counter({
    name: "contextd_windows_opened_total",
    help: "Windows opened, by cause: session (its first), cross_window_save, overflow, requested, checkpoint.",
    labelNames: ["profile", "cause"],
    registers: [registry],
  });
  return {
    on: {
      "window.opened": (event) => opened.inc({ profile: profileOf(event, bounds), cause: event.data.cause }),
    },
  };
};
