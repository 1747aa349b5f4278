import type { Component } from "../../model/block.ts";
import type { Severity } from "../../model/events.ts";
import type { Status, Zone } from "../../model/zone.ts";

/** An open session as the gauges read it at scrape time. Built by the manager; holds no text of the agent. */
export interface SessionView {
  readonly tenant: string;
  readonly id: string;
  readonly profile: string;
  readonly model: string;
  readonly zone: Zone;
  readonly status: Status;
  /** Tokens of the context as the provider will count them. */
  readonly tokens: number;
  readonly maxTokens: number;
  /** tokens / maxTokens; may exceed 1. */
  readonly utilization: number;
  readonly componentTokens: Readonly<Record<Component, number>>;
  /** Hard limits in tokens; 0 where a component has none. */
  readonly componentLimits: Readonly<Record<Component, number>>;
  /** Tokens that nothing can free. */
  readonly floorTokens: number;
  /** Alerts that fire for it. */
  readonly alerts: readonly { readonly alert: string; readonly severity: Severity }[];
  /** Wall time of the last hook, ms since the epoch. */
  readonly lastSeenAt: number;
}
