import { z } from "zod";
import { isLoopback } from "../loopback.ts";
import { count, milliseconds, path } from "./quantities.ts";

const limits = z
  .strictObject({
    body_bytes: count(1024, 1 << 30)
      .default(4 << 20)
      .describe("Largest request body and WebSocket message, in bytes; larger ones are refused unread."),
    json_depth: count(4, 1000)
      .default(64)
      .describe("Deepest nesting of a request; deeper JSON can exhaust the stack of whoever walks it."),
    batch: count(1, 10_000).default(100).describe("Calls in one JSON-RPC batch."),
    subscriber_buffer_bytes: count(1024, 1 << 30)
      .default(1 << 20)
      .describe("Bytes waiting for one event subscriber; one that falls further behind is cut off."),
    connections: count(1, 1_000_000).default(2000).describe("Open sockets, WebSockets included."),
    sessions_per_tenant: count(1, 100_000_000).default(100_000).describe("Open sessions of one tenant."),
    hooks_in_flight: count(1, 1_000_000)
      .default(2000)
      .describe("Calls being worked on at once; beyond it the daemon answers `overloaded` and stays quick."),
    header_timeout_ms: milliseconds()
      .default(10_000)
      .describe("Time a client has for its request headers, in ms; ends slow-header attacks."),
    request_timeout_ms: milliseconds()
      .default(30_000)
      .describe("Time a client has for its whole request, in ms; slow uploads of 4 MiB fit."),
  })
  .prefault({})
  .describe("Bounds on what clients can ask for.");

const tls = z
  .strictObject({
    cert_file: path().nullable().default(null).describe("PEM certificate chain; null: plain HTTP."),
    key_file: path().nullable().default(null).describe("PEM private key that belongs to `cert_file`."),
  })
  .superRefine((tls, context) => {
    if ((tls.cert_file === null) === (tls.key_file === null)) return;
    const missing = tls.cert_file === null ? "cert_file" : "key_file";
    context.addIssue({
      code: "custom",
      path: [missing],
      message: "is missing: TLS needs both cert_file and key_file, or neither",
    });
  })
  .prefault({})
  .describe("HTTPS for all endpoints.");

/** Where the daemon listens, who may call, and how much they may ask for. */
export const server = z
  .strictObject({
    host: z
      .string()
      .min(1)
      .max(255)
      .default("127.0.0.1")
      .describe("Address to listen on; anything but loopback needs `auth.tokens_file`."),
    port: count(0, 65_535).default(7420).describe("TCP port; 0 picks a free one."),
    path_prefix: z
      .string()
      .max(200)
      .regex(/^(\/[A-Za-z0-9._~-]+)*$/, "must be empty or start with a slash and end without one, like /contextd")
      .default("")
      .describe("Path in front of every endpoint, for a shared reverse proxy; empty: none."),
    auth: z
      .strictObject({
        tokens_file: path()
          .nullable()
          .default(null)
          .describe("List of bearer tokens with name, tenant and scopes; null: loopback callers need no token."),
      })
      .prefault({})
      .describe("Who may call."),
    allowed_hosts: z
      .array(z.string().min(1).max(255))
      .max(1000)
      .default([])
      .describe("Host headers accepted beside loopback names and `host` (stops DNS rebinding)."),
    allowed_origins: z
      .array(z.string().min(1).max(255))
      .max(1000)
      .default([])
      .describe("Browser origins accepted beside the daemon's own, such as https://grafana.example."),
    tls,
    limits,
    drain_timeout_ms: milliseconds()
      .default(8000)
      .describe("Time for calls in flight at shutdown, in ms; below the 10 s after which supervisors kill."),
    dangerously_listen_without_auth: z
      .boolean()
      .default(false)
      .describe("Allows a non-loopback `host` without tokens: everyone who reaches it reads every session."),
  })
  .superRefine((server, context) => {
    if (isLoopback(server.host) || server.auth.tokens_file !== null || server.dangerously_listen_without_auth) return;
    context.addIssue({
      code: "custom",
      path: ["host"],
      message:
        "is not a loopback address and server.auth.tokens_file is not set: anyone could read every session; " +
        "set a tokens file, listen on 127.0.0.1, or set server.dangerously_listen_without_auth: true",
    });
  })
  .prefault({})
  .describe("Where the daemon listens, who may call, and how much they may ask for.")
  .meta({ "x-restart": true });
