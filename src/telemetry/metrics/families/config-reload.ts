import { Gauge } from "prom-client";
import type { MetricFamily } from "../family.ts";

export const configReload: MetricFamily = ({ registry, dependencies }) => {
  const successful = new Gauge({
    name: "contextd_config_last_reload_successful",
    help: "1 when the last load of the configuration was taken over, 0 when it was refused.",
    registers: [registry],
  });
  const timestamp = new Gauge({
    name: "contextd_config_last_reload_success_timestamp_seconds",
    help: "When the configuration in force was loaded, seconds since the epoch.",
    registers: [registry],
  });
  successful.set(1);
  timestamp.set(dependencies.clock.now() / 1000);
  return {
    on: {
      "config.reloaded": (event) => {
        successful.set(event.data.successful ? 1 : 0);
        if (event.data.successful) timestamp.set(event.at / 1000);
      },
    },
  };
};
