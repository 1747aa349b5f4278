import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { request as tlsRequest } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import { ContextdError } from "../../src/model/errors.ts";
import type { HttpRoute } from "../../src/server/routes.ts";
import { post, type Settings, sendRaw, startTestServer, type TestServer } from "../support/test-server.ts";

const servers: TestServer[] = [];
async function start(settings: Settings = {}): Promise<TestServer> {
  const server = await startTestServer(settings);
  servers.push(server);
  return server;
}
afterEach(async () => {
  for (const server of servers.splice(0)) await server.close();
});

const route = (path: string, answer: HttpRoute["answer"], method: "GET" | "POST" = "GET"): HttpRoute => ({
  method,
  path,
  summary: "A test.",
  access: "open",
  answer,
});

describe("health", () => {
  it("lives while the loop turns, and is ready when its parts are", async () => {
    let reasons = ["starting"];
    const server = await start({ ready: () => ({ ready: reasons.length === 0, reasons }) });
    const ask = async (path: string) => {
      const response = await fetch(server.url + path);
      return { status: response.status, body: await response.text(), retry: response.headers.get("retry-after") };
    };
    expect(await ask("/livez")).toMatchObject({ status: 200, body: "ok\n" });
    expect(await ask("/readyz")).toEqual({ status: 503, body: '{"ready":false,"reasons":["starting"]}', retry: "1" });
    expect((await ask("/healthz")).status).toBe(503);
    reasons = [];
    expect(await ask("/readyz")).toEqual({ status: 200, body: '{"ready":true,"reasons":[]}', retry: null });
    expect(JSON.parse((await ask("/healthz")).body)).toEqual({ ready: true, reasons: [], calls: 0 });
  });
});

describe("every answer", () => {
  it("has the security headers", async () => {
    const folder = await mkdtemp(join(tmpdir(), "contextd-page-"));
    try {
      await writeFile(join(folder, "index.html"), "<!doctype html>");
      const { port } = await start({ pageDirectory: folder });
      const json = ["Host: localhost", "Content-Type: application/json"];
      const answers = await Promise.all([
        sendRaw(port, { path: "/" }),
        sendRaw(port, { path: "/livez" }),
        sendRaw(port, { path: "/none" }),
        sendRaw(port, { path: "/livez", headers: ["Host: evil.example"] }),
        sendRaw(port, { path: "/rpc" }),
        sendRaw(port, { method: "POST", path: "/rpc", headers: json, body: "{" }),
        sendRaw(port, { method: "POST", path: "/rpc", headers: json, body: '{"jsonrpc":"2.0","method":"x"}' }),
        sendRaw(port, { path: "/%zz" }),
        sendRaw(port, { path: "/ws", headers: ["Host: evil.example", "Connection: Upgrade", "Upgrade: websocket"] }),
        sendRaw(port, { path: "/x", headers: ["Host: localhost", `X: ${"y".repeat(20_000)}`] }),
      ]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 404, 403, 405, 200, 204, 404, 403, 431]);
      for (const { headers } of answers) {
        expect(headers["content-security-policy"]).toBe(
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
            "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
        );
        expect(headers["x-content-type-options"]).toBe("nosniff");
        expect(headers["referrer-policy"]).toBe("no-referrer");
        expect(headers["access-control-allow-origin"]).toBeUndefined();
        expect(headers["set-cookie"]).toBeUndefined();
        expect(headers["x-powered-by"]).toBeUndefined();
      }
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("a route", () => {
  it("that fails unexpectedly answers no stack and no HTML, and the log has no content", async () => {
    const server = await start({
      routes: [
        route("/broken", () => {
          throw new TypeError("the cause");
        }),
        route("/chokes", async ({ body }) => JSON.parse(String(await body())), "POST"),
      ],
    });
    const broken = await sendRaw(server.port, { path: "/broken" });
    expect(broken.status).toBe(500);
    expect(broken.headers["content-type"]).toBe("application/json");
    expect(JSON.parse(broken.body)).toEqual({
      error: { reason: "internal_error", message: "The daemon failed here; its log has the cause." },
    });
    const chokes = await sendRaw(server.port, { method: "POST", path: "/chokes", body: "canary-body" });
    expect(chokes.status).toBe(500);
    expect(chokes.body).not.toContain("canary");
    expect(server.log.text).toContain("the cause");
    expect(server.log.text).not.toContain("canary");
  });

  it("tells the caller what a ContextdError says, with its status", async () => {
    const server = await start({
      routes: [
        route("/full", () => {
          throw new ContextdError("overloaded", "Later.", { retry_after_ms: 4000 });
        }),
      ],
    });
    const answer = await sendRaw(server.port, { path: "/full" });
    expect(answer).toMatchObject({ status: 503, body: '{"error":{"reason":"overloaded","message":"Later."}}' });
    expect(answer.headers["retry-after"]).toBe("4");
    expect(server.log.lines).toEqual([]);
  });

  it("gets its query and its body within the limit", async () => {
    const seen: unknown[] = [];
    const server = await start({
      limits: { body_bytes: 10 },
      routes: [
        route(
          "/take",
          async ({ query, body }) => {
            seen.push(query.get("a"), String(await body()));
            return { status: 202, contentType: "text/plain", body: "" };
          },
          "POST",
        ),
      ],
    });
    expect((await sendRaw(server.port, { method: "POST", path: "/take?a=1%202", body: "0123456789" })).status).toBe(
      202,
    );
    expect(seen).toEqual(["1 2", "0123456789"]);
    expect((await sendRaw(server.port, { method: "POST", path: "/take", body: "0123456789x" })).status).toBe(413);
  });

  it("answers HEAD like GET without a body, and 405 to other methods", async () => {
    const { port } = await start();
    const head = await sendRaw(port, { method: "HEAD", path: "/livez" });
    expect(head).toMatchObject({ status: 200, body: "" });
    expect(head.headers["content-length"]).toBe("3");
    for (const method of ["POST", "DELETE", "OPTIONS", "TRACE"]) {
      const answer = await sendRaw(port, { method, path: "/livez" });
      expect(answer.status).toBe(405);
      expect(answer.headers["allow"]).toBe("GET, HEAD");
    }
  });

  it.each(["/livez/", "/LIVEZ", "//livez", "/livez/x", "/../livez", "/rpc/", "/%2e%2e/livez"])(
    "is not found at %s",
    async (path) => {
      const { port } = await start();
      const answer = await sendRaw(port, { path });
      expect(answer.status).toBe(404);
      expect(JSON.parse(answer.body).error.reason).toBe("not_found");
    },
  );
});

describe("the page", () => {
  it("is served with its files and nothing beside them", async () => {
    const folder = await mkdtemp(join(tmpdir(), "contextd-page-"));
    try {
      await writeFile(join(folder, "index.html"), "<!doctype html><title>contextd</title>");
      await writeFile(join(folder, "main.js"), "export {};");
      await writeFile(join(folder, ".secret"), "canary");
      const { port } = await start({ pageDirectory: folder });
      const page = await sendRaw(port, { path: "/" });
      expect(page.status).toBe(200);
      expect(page.headers["content-type"]).toMatch(/^text\/html/);
      const script = await sendRaw(port, { path: "/main.js?v=1" });
      expect(script.headers["content-type"]).toMatch(/javascript/);
      expect(script.headers["cache-control"]).toBe("no-cache");
      const etag = `If-None-Match: ${script.headers["etag"]}`;
      expect((await sendRaw(port, { path: "/main.js", headers: ["Host: localhost", etag] })).status).toBe(304);
      for (const path of [
        "/.secret",
        "/../package.json",
        "/%2e%2e/package.json",
        "/..%2fpackage.json",
        "/a%00b",
        "/x",
      ]) {
        const answer = await sendRaw(port, { path });
        expect([400, 403, 404]).toContain(answer.status);
        expect(answer.headers["content-type"]).toBe("application/json");
      }
      expect((await sendRaw(port, { method: "POST", path: "/main.js" })).status).toBe(404);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("the page's files", () => {
  it("are kept for ever below their version, which changes with any of them, and asked about below their names", async () => {
    const folder = await mkdtemp(join(tmpdir(), "contextd-page-"));
    try {
      const index = '<head><link rel="stylesheet" href="a.css">\n<link rel="stylesheet" href="b.css"></head>';
      await writeFile(join(folder, "index.html"), `${index}<script type="module" src="main.js"></script>`);
      await writeFile(join(folder, "a.css"), "a { top: 0 }");
      await writeFile(join(folder, "b.css"), "b { top: 0 }");
      await writeFile(join(folder, "main.js"), 'import {\n  x,\n} from "./app/x.js";\nimport("./late.js");\n');
      await mkdir(join(folder, "app"));
      await writeFile(join(folder, "app/x.js"), 'import { y } from "../y.js";\nexport const x = y;\n');
      await writeFile(join(folder, "y.js"), "export const y = 1;\n");
      await writeFile(join(folder, "late.js"), "export {};\n");
      const { port } = await start({ pageDirectory: folder });
      const page = await sendRaw(port, { path: "/" });
      const [, version] = /src="assets\/(\w+)\/main\.js"/.exec(page.body) ?? [];
      expect(page.headers["cache-control"]).toBe("no-cache");
      expect([...page.body.matchAll(/modulepreload" href="([^"]+)"/g)].map(([, href]) => href)).toEqual(
        ["main.js", "app/x.js", "y.js"].map((file) => `assets/${version}/${file}`),
      );
      const known = ["Host: localhost", `If-None-Match: ${page.headers["etag"]}`];
      expect((await sendRaw(port, { path: "/", headers: known })).status).toBe(304);
      for (const file of ["main.js", "app/x.js", "style.css"]) {
        const answer = await sendRaw(port, { path: `/assets/${version}/${file}` });
        expect(answer.status).toBe(200);
        expect(answer.headers["cache-control"]).toContain("immutable");
      }
      expect((await sendRaw(port, { path: `/assets/${version}/style.css` })).body).toBe("a { top: 0 }\nb { top: 0 }");
      const ofAnother = await sendRaw(port, { path: "/assets/0000/late.js" });
      expect([ofAnother.status, ofAnother.headers["cache-control"]]).toEqual([200, "no-cache"]);
      await writeFile(join(folder, "y.js"), "export const y = 2;\n");
      const other = await start({ pageDirectory: folder });
      expect((await sendRaw(other.port, { path: "/" })).body).not.toContain(version);
    } finally {
      await rm(folder, { recursive: true });
    }
  });
});

describe("a path prefix", () => {
  it("is in front of everything, and nothing is served without it", async () => {
    const server = await start({ path_prefix: "/contextd" });
    expect(server.url).toMatch(/:\d+\/contextd$/);
    expect((await post(server.url, { jsonrpc: "2.0", id: 1, method: "echo" })).status).toBe(200);
    expect((await fetch(`${server.url}/livez`)).status).toBe(200);
    for (const path of ["/livez", "/rpc", "/contextdx/livez", "/contextd/contextd/livez"]) {
      expect((await sendRaw(server.port, { path })).status).toBe(404);
    }
  });

  it("leads to the address with a slash, to which the page's files are relative", async () => {
    const server = await start({ path_prefix: "/ops/contextd" });
    const answer = await sendRaw(server.port, { path: "/ops/contextd?x=1" });
    expect(answer.status).toBe(308);
    expect(new URL(answer.headers["location"] ?? "", server.url).pathname).toBe("/ops/contextd/");
  });
});

describe("a token in a query string", () => {
  it.each(["token", "access_token", "Authorization", "api_key"])(
    "(%s) is refused without being repeated",
    async (name) => {
      const { port } = await start();
      for (const path of ["/livez", "/rpc", "/metrics", "/none"]) {
        const answer = await sendRaw(port, { path: `${path}?x=1&${name}=canary` });
        expect(answer.status).toBe(400);
        expect(answer.body).toContain("Authorization: Bearer");
        expect(answer.body).not.toContain("canary");
      }
    },
  );
});

describe("TLS", () => {
  it("serves the same over HTTPS", async () => {
    const file = (name: string) => fileURLToPath(new URL(`../support/tls/${name}.pem`, import.meta.url));
    const server = await start({ tls: { cert_file: file("cert"), key_file: file("key") } });
    expect(server.url).toMatch(/^https:/);
    const status = await new Promise((resolve, reject) => {
      tlsRequest(`${server.url}/livez`, { rejectUnauthorized: false, agent: false }, (response) => {
        response.resume().on("end", () => resolve(response.statusCode));
      })
        .on("error", reject)
        .end();
    });
    expect(status).toBe(200);
    expect(server.stats().connections).toBeLessThanOrEqual(1);
  });
});
