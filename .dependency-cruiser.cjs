/**
 * The architecture as rules. `manager/` is the only place where the core's folders meet; they are strangers
 * to one another, and share what a line and a value is (lines/). Each external package has one home. Changing a rule takes an ADR in docs/adr/.
 */
const CORE =
  "tokens|messages|pressure|budget|references|lines|ledger|regret|eviction|compression|fidelity|notes|window|health";

/** Packages that only these folders may import. */
const HOMES = {
  express: "^src/server/",
  ws: "^src/(server|client)/",
  "prom-client": "^src/telemetry/metrics/",
  "js-tiktoken": "^src/tokens/",
  yaml: "^src/config/",
  pino: "^src/log\\.ts$",
  libsql: "^src/store/sqlite/",
  "better-sqlite3": "^src/store/sqlite/",
  commander: "^src/(cli/|main\\.ts)",
  "cli-progress": "^src/cli/",
};

module.exports = {
  forbidden: [
    {
      name: "no-cycles",
      severity: "error",
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    { name: "model-stands-alone", severity: "error", from: { path: "^src/model/" }, to: { path: "^src/(?!model/)" } },
    {
      name: "core-folders-are-strangers",
      severity: "error",
      from: { path: `^src/(${CORE})/` },
      to: { path: "^src/", pathNot: ["^src/model/", "^src/$1/", "^src/lines/"] },
    },
    {
      name: "lines-stand-alone",
      severity: "error",
      from: { path: "^src/lines/" },
      to: { path: "^src/", pathNot: ["^src/(model|lines)/"] },
    },
    {
      name: "core-does-no-io",
      severity: "error",
      from: { path: `^src/(${CORE}|manager|model)/`, pathNot: ["^src/tokens/(worker|counting-worker|catalogue)"] },
      to: { path: "^(node:)?(fs|net|http|https|child_process|dgram|tls|dns)(/|$)" },
    },
    {
      name: "manager-is-below-the-edges",
      severity: "error",
      from: { path: "^src/manager/" },
      to: { path: "^src/(rpc|server|telemetry|shadow|replay|copies|cli|ui|client|daemon|main)" },
    },
    {
      name: "shadow-watches",
      severity: "error",
      from: { path: "^src/shadow/" },
      to: { path: "^src/(rpc|server|telemetry|cli|ui|client|demo)/" },
    },
    {
      name: "store-knows-the-model-only",
      severity: "error",
      from: { path: "^src/store/" },
      to: { path: "^src/", pathNot: ["^src/(store|model)/"] },
    },
    {
      name: "llm-knows-the-model-and-refusals",
      severity: "error",
      from: { path: "^src/llm/" },
      to: { path: "^src/", pathNot: ["^src/(llm|model|outbound|window/overflow)/"] },
    },
    {
      name: "outbound-stands-alone",
      severity: "error",
      from: { path: "^src/outbound/" },
      to: { path: "^src/", pathNot: ["^src/outbound/"] },
    },
    {
      name: "telemetry-observes",
      severity: "error",
      from: { path: "^src/telemetry/" },
      to: { path: "^src/", pathNot: ["^src/(telemetry|model|outbound)/"] },
    },
    {
      name: "copies-observe",
      severity: "error",
      from: { path: "^src/copies/" },
      to: { path: "^src/", pathNot: ["^src/(copies|model|window)/", "^src/log\\.ts$"] },
    },
    {
      name: "nothing-imports-the-composition-root",
      severity: "error",
      from: { path: "^src/(?!cli/|main\\.ts|index\\.ts)" },
      to: { path: "^src/(daemon|main)\\.ts$" },
    },
    { name: "no-dev-dependency", severity: "error", from: { path: "^src/" }, to: { dependencyTypes: ["npm-dev"] } },
    { name: "not-resolvable", severity: "error", from: {}, to: { couldNotResolve: true, pathNot: "^better-sqlite3$" } },
    ...Object.entries(HOMES).map(([name, home]) => ({
      name: `home-of-${name}`,
      severity: "error",
      from: { path: "^src/", pathNot: home },
      to: { path: `(^|/)node_modules/${name}/|^${name}$`, dependencyTypesNot: ["type-only"] },
    })),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    doNotFollow: { path: "node_modules" },
    exclude: { path: "^src/ui/static/" },
    enhancedResolveOptions: {
      exportsFields: ["exports"],
      conditionNames: ["import", "require", "node", "default", "types"],
    },
  },
};
