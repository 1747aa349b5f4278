import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse } from "yaml";

const ROOT = join(import.meta.dirname, "../..");
const provisioning = (path: string) => parse(readFileSync(join(ROOT, "config/grafana/provisioning", path), "utf8"));

interface Source {
  readonly name: string;
  readonly uid: string;
  readonly type: string;
  readonly url: string;
  readonly isDefault?: boolean;
  readonly editable: boolean;
  readonly jsonData: Readonly<Record<string, unknown>>;
}

const { apiVersion, datasources } = provisioning("datasources/contextd.yaml") as {
  readonly apiVersion: number;
  readonly datasources: readonly Source[];
};

it("provides Prometheus as the default and Alertmanager, by addresses of the environment", () => {
  expect(apiVersion).toBe(1);
  expect(datasources.map(({ type, url, isDefault = false }) => ({ type, url, isDefault }))).toEqual([
    { type: "prometheus", url: "$PROMETHEUS_URL", isDefault: true },
    { type: "alertmanager", url: "$ALERTMANAGER_URL", isDefault: false },
  ]);
  expect(new Set(datasources.map(({ uid }) => uid)).size).toBe(2);
  for (const { editable } of datasources) expect(editable).toBe(false);
});

it("leads exemplars to the session, in a form that Grafana's reading of the file leaves alone", () => {
  const links = datasources[0]?.jsonData["exemplarTraceIdDestinations"] ?? [];
  const [destination] = links as readonly { readonly name: string; readonly url: string }[];
  expect(destination).toMatchObject({ name: "session_id" });
  // Grafana puts the environment in for $NAME and ${NAME}, and $ for $$.
  const read = destination?.url.replace("$CONTEXTD_PAGE_URL", "http://localhost:7420").replace("$$", "$");
  expect(read).toBe(`http://localhost:7420/#/session/\${__value.raw}`);
});

it("says the Alertmanager that it is one of Prometheus, and hands it no alerts of Grafana's own", () => {
  expect(datasources[1]?.jsonData).toEqual({ implementation: "prometheus", handleGrafanaManagedAlerts: false });
});

it("reads the dashboards from a folder, not to be changed in Grafana", () => {
  const { apiVersion: version, providers } = provisioning("dashboards/contextd.yaml");
  expect(version).toBe(1);
  expect(providers).toEqual([
    expect.objectContaining({
      type: "file",
      folder: "contextd",
      allowUiUpdates: false,
      disableDeletion: true,
      options: { path: "/var/lib/grafana/dashboards/contextd", foldersFromFilesStructure: false },
    }),
  ]);
});
