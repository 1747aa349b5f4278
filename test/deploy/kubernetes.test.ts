import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import type { JsonObject } from "../../src/model/json.ts";
import { readTokenEntries } from "../../src/server/tokens.ts";
import { cliWith } from "../cli/cli-with.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const FOLDER = join(ROOT, "config/kubernetes");
const documents = (file: string) =>
  parseAllDocuments(readFileSync(join(FOLDER, file), "utf8")).map((each) => each.toJS() as JsonObject);
const kustomization = documents("kustomization.yaml")[0] as { resources: string[] };
const all = kustomization.resources.flatMap(documents);

// biome-ignore lint/suspicious/noExplicitAny: manifests are read as their readers do, field by field.
const find = (kind: string, name?: string): any =>
  all.find(
    (each) => each["kind"] === kind && (name === undefined || (each["metadata"] as JsonObject)["name"] === name),
  );

describe("config/kubernetes", () => {
  it("is what the generator makes of rules and dashboards", () => {
    const { status, stderr } = spawnSync(process.execPath, [join(ROOT, "scripts/generate-kubernetes.mjs"), "--check"], {
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  });

  it("has everything that one apply brings", () => {
    expect(new Set(all.map(({ kind }) => kind))).toEqual(
      new Set(["ConfigMap", "PersistentVolumeClaim", "Deployment", "Service", "ServiceMonitor", "PrometheusRule"]),
    );
    for (const { apiVersion, metadata } of all) {
      expect(apiVersion).toMatch(/^(v1|apps\/v1|monitoring\.coreos\.com\/v1)$/);
      expect((metadata as JsonObject)["name"]).toMatch(/^[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/);
    }
  });

  it("gives the pod a config that the daemon takes", async () => {
    using folder = temporaryFolder();
    const file = folder.write("contextd.yaml", find("ConfigMap", "contextd-config").data["contextd.yaml"]);
    const { exitCode, stderr } = await cliWith(["check-config", file]);
    expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  });

  it("runs one pod as nobody in particular, on a root that is read only", () => {
    const { spec } = find("Deployment");
    const pod = spec.template.spec;
    const [container] = pod.containers;
    expect(spec).toMatchObject({ replicas: 1, strategy: { type: "Recreate" } });
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(container.args[container.args.indexOf("--config") + 1]).toBe("/etc/contextd/config/contextd.yaml");
    for (const { name } of container.volumeMounts) {
      expect(pod.volumes.map((volume: { name: string }) => volume.name)).toContain(name);
    }
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(10);
  });

  it("leads from service and monitor to that pod", () => {
    const { template, selector } = find("Deployment").spec;
    const [container] = template.spec.containers;
    const service = find("Service");
    expect(template.metadata.labels).toMatchObject(selector.matchLabels);
    expect(template.metadata.labels).toMatchObject(service.spec.selector);
    expect(service.metadata.labels).toMatchObject(find("ServiceMonitor").spec.selector.matchLabels);
    expect(container.ports).toEqual([{ name: "http", containerPort: 7420 }]);
    expect(find("ServiceMonitor").spec.endpoints[0]).toMatchObject({ port: "http", path: "/metrics" });
    for (const probe of ["startupProbe", "livenessProbe", "readinessProbe"]) {
      expect(container[probe].httpGet).toMatchObject({
        port: "http",
        path: expect.stringMatching(/^\/(livez|readyz)$/),
      });
    }
  });

  it("has each dashboard small enough for a ConfigMap and for the annotation of an apply", () => {
    const dashboards = all.filter((each) => JSON.stringify(each["metadata"]).includes("grafana_dashboard"));
    expect(dashboards.length).toBe(6);
    for (const each of dashboards) expect(JSON.stringify(each).length).toBeLessThan(262_144);
  });

  it("tells in its README of tokens that the daemon takes", () => {
    const readme = readFileSync(join(FOLDER, "README.md"), "utf8");
    const [, list = ""] = /tokens\.yaml="\n([\s\S]+?)"/.exec(readme) ?? [];
    const secret = (at: number) => Buffer.alloc(32, `a strong one ${at} `).toString("base64url");
    const entries = readTokenEntries(parse(list.replace("$agent", secret(1)).replace("$metrics", secret(2))));
    expect(entries.map(({ scopes }) => scopes)).toEqual([["agent", "operator"], ["metrics"]]);
  });
});
