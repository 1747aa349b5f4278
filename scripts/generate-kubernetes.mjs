// Writes config/kubernetes/: manifests for `kubectl apply -k config/kubernetes`. Rules and dashboards come from the files
// that Prometheus and Grafana read elsewhere, so that there is one source of each. With --check it only says what is stale.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parse, stringify } from "yaml";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "config/kubernetes");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const NAME = "contextd";
const PORT = 7420;
const labels = {
  "app.kubernetes.io/name": NAME,
  "app.kubernetes.io/version": version,
  "app.kubernetes.io/part-of": NAME,
};
const selector = { "app.kubernetes.io/name": NAME };
const named = (name, more = {}) => ({ name, labels: { ...labels, ...more } });

const config = {
  server: {
    host: "0.0.0.0",
    auth: { tokens_file: "/etc/contextd/tokens/tokens.yaml" },
    // The names of the service within the cluster. Probes call the pod's address, which needs no entry.
    allowed_hosts: [NAME, `*.svc`, `*.svc.cluster.local`],
  },
};

const probe = (path, more) => ({ httpGet: { path, port: "http" }, timeoutSeconds: 3, ...more });

/** One pod: the embedded store belongs to one process, so the old pod goes before the new one comes. */
const deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: named(NAME),
  spec: {
    replicas: 1,
    strategy: { type: "Recreate" },
    selector: { matchLabels: selector },
    template: {
      metadata: { labels },
      spec: {
        automountServiceAccountToken: false,
        terminationGracePeriodSeconds: 15,
        securityContext: {
          runAsNonRoot: true,
          runAsUser: 1000,
          runAsGroup: 1000,
          fsGroup: 1000,
          seccompProfile: { type: "RuntimeDefault" },
        },
        containers: [
          {
            name: NAME,
            image: `${NAME}:${version}`,
            args: ["serve", "--config", "/etc/contextd/config/contextd.yaml", "--data", "/data"],
            ports: [{ name: "http", containerPort: PORT }],
            startupProbe: probe("/livez", { periodSeconds: 2, failureThreshold: 30 }),
            livenessProbe: probe("/livez", { periodSeconds: 10, failureThreshold: 3 }),
            readinessProbe: probe("/readyz", { periodSeconds: 5, failureThreshold: 2 }),
            resources: { requests: { cpu: "250m", memory: "256Mi" }, limits: { memory: "1Gi" } },
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ["ALL"] },
            },
            volumeMounts: [
              { name: "data", mountPath: "/data" },
              { name: "config", mountPath: "/etc/contextd/config", readOnly: true },
              { name: "tokens", mountPath: "/etc/contextd/tokens", readOnly: true },
            ],
          },
        ],
        volumes: [
          { name: "data", persistentVolumeClaim: { claimName: `${NAME}-data` } },
          { name: "config", configMap: { name: `${NAME}-config` } },
          { name: "tokens", secret: { secretName: `${NAME}-tokens`, defaultMode: 0o440 } },
        ],
      },
    },
  },
};

const claim = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: named(`${NAME}-data`),
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Gi" } } },
};

const configMap = {
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: named(`${NAME}-config`),
  data: { "contextd.yaml": stringify(config) },
};

const service = {
  apiVersion: "v1",
  kind: "Service",
  metadata: named(NAME),
  spec: { selector, ports: [{ name: "http", port: PORT, targetPort: "http" }] },
};

const monitor = {
  apiVersion: "monitoring.coreos.com/v1",
  kind: "ServiceMonitor",
  metadata: named(NAME),
  spec: {
    jobLabel: "app.kubernetes.io/name",
    selector: { matchLabels: selector },
    endpoints: [
      {
        port: "http",
        path: "/metrics",
        interval: "15s",
        scrapeTimeout: "5s",
        authorization: { credentials: { name: `${NAME}-metrics-token`, key: "token" } },
      },
    ],
  },
};

const rules = {
  apiVersion: "monitoring.coreos.com/v1",
  kind: "PrometheusRule",
  metadata: named(NAME),
  spec: {
    groups: files("config/prometheus/rules", ".yml").flatMap(([, text]) => parse(text).groups),
  },
};

/** The side-car of Grafana's chart takes ConfigMaps with this label. */
const dashboards = files("dashboards", ".json").map(([file, text]) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { ...named(`${NAME}-dashboard-${file.replace(/\.json$/, "")}`, { grafana_dashboard: "1" }) },
  data: { [file]: text },
}));

const manifests = {
  "config.yaml": [configMap],
  "deployment.yaml": [claim, deployment, service],
  "servicemonitor.yaml": [monitor],
  "prometheusrule.yaml": [rules],
  "dashboards.yaml": dashboards,
};
const kustomization = {
  apiVersion: "kustomize.config.k8s.io/v1beta1",
  kind: "Kustomization",
  resources: Object.keys(manifests),
};

const HEAD = "# Made by scripts/generate-kubernetes.mjs: change that, or what it reads.\n";
const documents = (all) => HEAD + all.map((each) => stringify(each, { lineWidth: 0 })).join("---\n");

const written = {
  ...Object.fromEntries(Object.entries(manifests).map(([file, all]) => [file, documents(all)])),
  "kustomization.yaml": documents([kustomization]),
};

function files(path, extension) {
  return readdirSync(join(root, path))
    .filter((file) => file.endsWith(extension))
    .sort()
    .map((file) => [file, readFileSync(join(root, path, file), "utf8")]);
}

function current(file) {
  try {
    return readFileSync(join(folder, file), "utf8");
  } catch (error) {
    if (error.code === "ENOENT") return null;
    throw error;
  }
}

const stale = Object.entries(written).filter(([file, text]) => current(file) !== text);
if (process.argv.includes("--check")) {
  for (const [file] of stale) console.error(`config/kubernetes/${file} is stale: node scripts/generate-kubernetes.mjs`);
  process.exit(stale.length === 0 ? 0 : 1);
}
mkdirSync(folder, { recursive: true });
for (const [file, text] of stale) writeFileSync(join(folder, file), text);
