import { z } from "zod";
import { count, milliseconds, path } from "./quantities.ts";

/** Where the journal is kept. */
export const store = z
  .strictObject({
    kind: z
      .enum(["sqlite", "postgres", "memory"])
      .default("sqlite")
      .describe(
        "`sqlite`: embedded, durable; `postgres`: a server of yours (a later release); `memory`: lost at exit.",
      ),
    path: path()
      .default("./data")
      .describe("Folder of the embedded journal, relative to the working directory; one daemon a folder."),
    url: z
      .string()
      .min(1)
      .max(4096)
      .nullable()
      .default(null)
      .describe("Connection string of the PostgreSQL server; a secret, never printed.")
      .meta({ writeOnly: true }),
    queue: count(1, 1_000_000)
      .default(2000)
      .describe("Hooks waiting for their commit; beyond it calls answer `overloaded`."),
    snapshot_every: count(1, 1_000_000)
      .default(200)
      .describe("Hooks of a session between two snapshots; bounds how much is replayed when it is loaded."),
    unload_idle_ms: milliseconds(1000)
      .default(600_000)
      .describe("Idle time after which a session leaves memory, in ms; its next call loads it again."),
    retain_closed_hours: count(0, 1_000_000)
      .default(720)
      .describe("Hours after which a closed session is pruned down to its last snapshot; 0: never."),
  })
  .superRefine((store, context) => {
    if (store.kind === "postgres" && store.url === null) {
      context.addIssue({ code: "custom", path: ["url"], message: "is missing: store.kind postgres needs it" });
    }
  })
  .prefault({})
  .describe("Where the journal is kept.")
  .meta({ "x-restart": true });
