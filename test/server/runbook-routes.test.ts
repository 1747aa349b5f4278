import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { runbookRoutes } from "../../src/server/runbook-routes.ts";
import { startTestServer } from "../support/test-server.ts";

const folder = fileURLToPath(new URL("../../docs/runbooks", import.meta.url));
const { RUNBOOKS, runbookOf } = await import(new URL("../../src/ui/static/app/runbooks.js", import.meta.url).href);

describe("the runbooks over HTTP", () => {
  it("are answered as text, without a token, and nothing else of the folder is", async () => {
    const tokens = [{ token: "operator-token-operator-token-operator", name: "op", tenant: "a", scopes: ["operator"] }];
    const server = await startTestServer({ routes: runbookRoutes(folder), tokens });
    const get = (path: string) => fetch(`${server.url}${path}`);
    const reply = await get("/runbooks/ContextOverflow.md");
    expect(reply.status).toBe(200);
    expect(reply.headers.get("content-type")).toBe("text/plain; charset=utf-8");
    expect(await reply.text()).toBe(readFileSync(`${folder}/ContextOverflow.md`, "utf8"));
    for (const path of ["/runbooks/README.md", "/runbooks/..%2Falerts.md", "/runbooks/", "/runbooks/Nothing.md"]) {
      expect((await get(path)).status, path).toBe(404);
    }
    await server.close();
  });

  it("are none where the package came without its documents", () => {
    expect(runbookRoutes(`${folder}/nowhere`)).toEqual([]);
  });

  it("are those that the page links to", () => {
    const there = readdirSync(folder).filter((name) => name !== "README.md");
    expect([...RUNBOOKS].map((alert) => `${alert}.md`).sort()).toEqual(there.sort());
    expect(runbookOf({ alert: "ContextOverflow" })).toBe("runbooks/ContextOverflow.md");
    expect(runbookOf({ alert: "MyOwnRule" })).toBeNull();
    expect(runbookOf({ alert: "MyOwnRule", runbook_url: "https://runbooks.example/mine" })).toBe(
      "https://runbooks.example/mine",
    );
    expect(runbookOf({ alert: "MyOwnRule", runbook_url: "javascript:alert(1)" })).toBeNull();
  });
});
