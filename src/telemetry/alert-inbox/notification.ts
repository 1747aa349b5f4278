import { z } from "zod";

const clipped = (characters: number) => z.string().transform((text) => text.slice(0, characters));
/** Labels and annotations that are kept of one alert, and alerts of one notification. */
const MOST_PAIRS = 32;
const MOST_ALERTS = 200;

const pairs = z
  .record(clipped(200), clipped(1000))
  .transform((all) => Object.fromEntries(Object.entries(all).slice(0, MOST_PAIRS)));
const moment = z.iso.datetime({ offset: true });

const alertSchema = z.object({
  status: z.enum(["firing", "resolved"]),
  labels: pairs,
  annotations: pairs.default({}),
  startsAt: moment,
  /** Year 1 while it fires and Alertmanager does not know of an end. */
  endsAt: moment,
  fingerprint: clipped(64).default(""),
});

/** Alertmanager's webhook, version 4 (its `notify/webhook`); fields that are not read are let through unread. */
export const notificationSchema = z.object({
  version: z.literal("4"),
  status: z.enum(["firing", "resolved"]),
  receiver: clipped(200),
  truncatedAlerts: z.int().min(0).default(0),
  alerts: z
    .array(z.unknown())
    .transform((alerts) => alerts.slice(0, MOST_ALERTS))
    .pipe(z.array(alertSchema)),
});

export type NotifiedAlert = z.output<typeof alertSchema>;
