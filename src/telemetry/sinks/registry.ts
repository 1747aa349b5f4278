import { alertmanager } from "./alertmanager.ts";
import { log } from "./log.ts";
import { plugged } from "./plugged.ts";
import type { SinkOpener } from "./sink.ts";
import { webhook } from "./webhook.ts";

/** All kinds of sinks. A new one is one file and one line here. */
export const SINKS: Readonly<Record<string, SinkOpener>> = { alertmanager, webhook, log, plugged };
