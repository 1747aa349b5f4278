import { describe, expect, test } from "vitest";
import { ConfigError, type ConfigIssue, loadConfig, NO_SOURCES } from "../../src/config/index.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { configWith, schemas } from "./config-with.ts";

/** The issues of a config file with this text; fails when it is accepted. */
function issuesOf(text: string, environment: Record<string, string> = {}): readonly ConfigIssue[] {
  using folder = temporaryFolder();
  const file = folder.write("contextd.yaml", text);
  try {
    loadConfig({ file, environment, flags: [] }, schemas);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.issues.map((issue) => ({ ...issue, place: issue.place.replace(file, "contextd.yaml") }));
  }
  throw new Error("the config was accepted");
}

function load(text: string, environment: Record<string, string> = {}) {
  using folder = temporaryFolder();
  return loadConfig({ file: folder.write("contextd.yaml", text), environment, flags: [] }, schemas);
}

describe("loadConfig", () => {
  test("gives every key a default", () => {
    const config = loadConfig(NO_SOURCES, schemas);
    expect(config.server).toMatchObject({
      host: "127.0.0.1",
      port: 7420,
      limits: { body_bytes: 4_194_304, batch: 100 },
    });
    expect(config.pressure).toMatchObject({ thresholds: "auto", velocity_window: 5, emergency: 0.95 });
    expect(config.eviction).toMatchObject({ policy: "fifo", keep_recent_units: 3, target_utilization: "auto" });
    expect(config.telemetry.events.ring).toBe(16_384);
  });

  test("freezes the whole tree", () => {
    const config = load("profiles: {mine: {eviction: {keep_recent_units: 5}}}\nmodels: {m: {context_window: 10}}\n");
    const frozen = (value: unknown): boolean =>
      typeof value !== "object" || value === null || (Object.isFrozen(value) && Object.values(value).every(frozen));
    expect(frozen(config)).toBe(true);
    expect(() => Object.assign(config.server, { port: 1 })).toThrow(TypeError);
  });

  test("does not let one config's values reach another's", () => {
    const first = loadConfig(NO_SOURCES, schemas);
    const second = load("eviction: {protected_types: [note]}\n");
    expect(first.eviction.protected_types).toEqual(["system_prompt", "tool_definition"]);
    expect(second.eviction.protected_types).toEqual(["note"]);
  });

  test("keeps checkpoints for thirty days, or for good", () => {
    expect(load("{}\n").cross_window).toMatchObject({ checkpoint_ttl_hours: 720, bootstrap_share: 0.1 });
    expect(load("cross_window: {checkpoint_ttl_hours: 0}\n").cross_window.checkpoint_ttl_hours).toBe(0);
    expect(() => load("cross_window: {checkpoint_ttl_hours: -1}\n")).toThrow(/checkpoint_ttl_hours/);
  });

  test("refuses one file for both copies of a checkpoint", () => {
    expect(() => load("cross_window: {state_file: a.md, progress_file: a.md}\n")).toThrow(
      /cross_window\.progress_file is the file of cross_window\.state_file/,
    );
  });

  test("loads the keys of the published design unchanged", () => {
    const config = load(`
max_context_tokens: 128000
pressure:
  thresholds: {yellow: 0.50, orange: 0.75, red: 0.90}
  velocity_window: 5
eviction:
  policy: hybrid
  weights: {recency: 0.3, priority: 0.3, type_ttl: 0.2, reference_freq: 0.1, semantic_duplication: 0.1}
  type_ttl: {tool_result: 10, thinking: 3, memory_injection: 25}
  protected_types: [system_prompt, tool_definition]
compression:
  summarization_threshold_tokens: 500
  compaction_utilization_threshold: 0.92
  cascade:
    0.75: tool_result_summarization
    0.85: progressive
    0.92: conversation_compaction
    0.95: sub_agent
  notes_file: notes.md
budget:
  allocations:
    system_prompt: 0.06
    tool_definitions: 0.04
    message_history: 0.65
    tool_results: 0.12
    memory_injection: 0.08
    output_reserved: 0.05
  soft_limit_pct: 0.80
cross_window:
  state_file: context_state.json
  progress_file: progress.md
  auto_save_threshold: 0.85
health_monitoring:
  metrics: [utilization, eviction_rate, compression_ratio, burn_rate, fidelity, tool_result_bloat]
  alerts:
    utilization_critical: 0.90
    eviction_rate_warning: 5
    fidelity_warning: 0.75
    compression_ratio_min: 2.0
    tool_bloat_warning: 0.30
`);
    expect(config.max_context_tokens).toBe(128_000);
    expect(config.pressure.thresholds).toEqual({ yellow: 0.5, orange: 0.75, red: 0.9 });
    expect(config.eviction.type_ttl).toMatchObject({ tool_result: 10, thinking: 3, assistant_response: 30 });
    expect(Object.keys(config.compression.cascade)).toEqual(["0.75", "0.85", "0.92", "0.95"]);
    expect(config.cross_window.progress_file).toBe("progress.md");
  });

  test("puts the environment over the file and the flags over both", () => {
    using folder = temporaryFolder();
    const file = folder.write("c.yaml", "server: {host: 127.0.0.2, port: 1, drain_timeout_ms: 7}\n");
    const environment = { CONTEXTD_SERVER__PORT: "2", CONTEXTD_SERVER__HOST: "127.0.0.3" };
    const flags = [{ flag: "--host", path: ["server", "host"], value: "127.0.0.4" }];
    const { server } = loadConfig({ file, environment, flags }, schemas);
    expect(server).toMatchObject({ host: "127.0.0.4", port: 2, drain_timeout_ms: 7 });
  });

  test("makes paths of the file absolute, but not the store's", () => {
    using folder = temporaryFolder();
    const file = folder.write("c.yaml", "server: {auth: {tokens_file: tokens.yaml}}\nstore: {path: here}\n");
    const config = loadConfig({ file, environment: {}, flags: [] }, schemas);
    expect(config.server.auth.tokens_file).toBe(`${folder.path}/tokens.yaml`);
    expect(config.store.path).toBe("here");
  });

  test("replaces a cascade as a whole, where other mappings merge", () => {
    const config = load("compression: {notes_file: n, cascade: {'0.8': eviction}}\n", {
      CONTEXTD_COMPRESSION: "{cascade: {'0.9': progressive}}",
    });
    expect(config.compression).toMatchObject({ notes_file: "n" });
    expect(config.compression.cascade).toEqual({ "0.9": "progressive" });
  });
});

describe("a mistake names its place, its key and the cure", () => {
  const cases: readonly (readonly [string, string, Partial<ConfigIssue>, RegExp])[] = [
    [
      "a misspelt key",
      "server:\n  prot: 1\n",
      { path: "server.prot", place: "contextd.yaml:2:3" },
      /did you mean "port"\? \(legal here: host, port/,
    ],
    ["a misspelt section", "evicton: {}\n", { path: "evicton", place: "contextd.yaml:1:1" }, /did you mean "eviction"/],
    [
      "a number out of range",
      "server: {port: 70000}\n",
      { path: "server.port" },
      /must be a whole number from 0 to 65535, not the number 70000/,
    ],
    [
      "text where a number is due",
      "server:\n  port: high\n",
      { path: "server.port", place: "contextd.yaml:2:3" },
      /not text/,
    ],
    ["a number where a section is due", "server: 5\n", { path: "server" }, /a mapping of host, port/],
    [
      "an unknown policy",
      "eviction: {policy: hybird}\n",
      { path: "eviction.policy" },
      /"hybrid", .*"none".*did you mean "hybrid"\?/,
    ],
    [
      "an unknown block type",
      "eviction: {protected_types: [note, notes]}\n",
      { path: "eviction.protected_types.1" },
      /did you mean "note"/,
    ],
    [
      "a threshold that is missing",
      "pressure: {thresholds: {yellow: 0.1, orange: 0.5}}\n",
      { path: "pressure.thresholds.red" },
      /is missing; legal: a number above 0 and below 1/,
    ],
    [
      "a word for the thresholds",
      "pressure: {thresholds: high}\n",
      { path: "pressure.thresholds" },
      /"auto" or a mapping of yellow, orange, red/,
    ],
    [
      "a misspelt threshold",
      "pressure: {thresholds: {yelow: 0.1, orange: 0.5, red: 0.8}}\n",
      { path: "pressure.thresholds.yellow" },
      /is missing/,
    ],
    [
      "thresholds out of order",
      "pressure: {thresholds: {yellow: 0.8, orange: 0.5, red: 0.9}}\n",
      { path: "pressure.thresholds.orange" },
      /above yellow \(0.8\)/,
    ],
    [
      "an emergency below red",
      "pressure: {emergency: 0.5, thresholds: {yellow: 0.1, orange: 0.5, red: 0.8}}\n",
      { path: "pressure.emergency" },
      /pressure.thresholds.red \(0.8\)/,
    ],
    [
      "a target that is not below orange",
      "pressure: {thresholds: {yellow: 0.1, orange: 0.5, red: 0.8}}\neviction: {target_utilization: 0.5}\n",
      { path: "eviction.target_utilization", place: "contextd.yaml:2:12" },
      /below pressure.thresholds.orange/,
    ],
    [
      "budgets of more than the window",
      "budget: {allocations: {tool_results: 0.5}}\n",
      { path: "budget.allocations" },
      /they sum to 1.38/,
    ],
    [
      "weights that are all zero",
      "eviction: {weights: {recency: 0, priority: 0, type_ttl: 0, reference_freq: 0, semantic_duplication: 0}}\n",
      { path: "eviction.weights" },
      /at least one weight above 0/,
    ],
    [
      "a share for a cascade that is none",
      "compression: {cascade: {'75': eviction}}\n",
      { path: "compression.cascade.75" },
      /a share of the window such as 0.75/,
    ],
    [
      "an unknown step of the cascade",
      "compression: {cascade: {'0.75': evict}}\n",
      { path: "compression.cascade.0.75" },
      /"eviction"/,
    ],
    ["half of TLS", "server: {tls: {cert_file: a.pem}}\n", { path: "server.tls.key_file" }, /both/],
    ["an open door", "server: {host: 0.0.0.0}\n", { path: "server.host" }, /tokens_file/],
    [
      "a path prefix without a slash",
      "server: {path_prefix: contextd}\n",
      { path: "server.path_prefix" },
      /start with a slash/,
    ],
    ["PostgreSQL without an address", "store: {kind: postgres}\n", { path: "store.url" }, /is missing/],
    [
      "an unknown profile",
      "profile: local-9k\n",
      { path: "profile", place: "contextd.yaml:1:1" },
      /legal: code-review, customer-support, default-128k/,
    ],
    [
      "an unknown key of a profile",
      "profiles:\n  mine:\n    server: {}\n",
      { path: "profiles.mine.server", place: "contextd.yaml:3:5" },
      /legal here: max_context_tokens, pressure/,
    ],
    [
      "a bad value of a profile",
      "profiles: {mine: {eviction: {keep_recent_units: -1}}}\n",
      { path: "profiles.mine.eviction.keep_recent_units" },
      /from 0 to/,
    ],
    [
      "a profile that does not fit the config",
      "eviction: {target_utilization: 0.72}\n",
      { path: "profiles.local-8k.eviction.target_utilization" },
      /below pressure.thresholds.orange \(0.7\)/,
    ],
    ["a profile with a bad name", "profiles: {'a b': {}}\n", { path: "profiles.a b" }, /letters, digits/],
    [
      "an unknown key of a shadow candidate",
      "shadow:\n  candidates:\n    deep: {evicton: {}}\n",
      { path: "shadow.candidates.deep.evicton", place: "contextd.yaml:3:12" },
      /did you mean "eviction"/,
    ],
    [
      "a bad value of a shadow candidate",
      "shadow: {candidates: {deep: {eviction: {policy: fivo}}}}\n",
      { path: "shadow.candidates.deep.eviction.policy" },
      /did you mean "fifo"/,
    ],
    [
      "a shadow candidate that does not fit the config",
      "pressure: {thresholds: {yellow: 0.1, orange: 0.5, red: 0.8}}\n" +
        "shadow: {candidates: {deep: {eviction: {target_utilization: 0.6}}}}\n",
      { path: "shadow.candidates.deep.eviction.target_utilization" },
      /below pressure.thresholds.orange \(0.5\)/,
    ],
    [
      "a shadow candidate with a bad name",
      "shadow: {candidates: {'a b': {}}}\n",
      { path: "shadow.candidates.a b" },
      /letters, digits/,
    ],
    [
      "a shadow candidate that takes the live policy's name",
      "shadow: {candidates: {live: {}}}\n",
      { path: "shadow.candidates.live" },
      /the session's own policy in the figures: choose another/,
    ],
    [
      "more shadow candidates than a session can have beside it",
      `shadow: {candidates: {${Array.from({ length: 9 }, (_, n) => `c${n}: {}`).join(", ")}}}\n`,
      { path: "shadow.candidates" },
      /more than 8 candidates/,
    ],
    [
      "a share of sessions that is none",
      "shadow: {sessions: {share: 20}}\n",
      { path: "shadow.sessions.share" },
      /a number from 0 to 1/,
    ],
    ["a list for the whole file", "- a\n", { path: "", place: "contextd.yaml:1:1" }, /mapping of keys/],
    ["not a number", "pressure: {hysteresis: .nan}\n", { path: "pressure.hysteresis" }, /a number from 0 to 0.2/],
  ];

  test.each(cases)("%s", (_, text, expected, problem) => {
    const issues = issuesOf(text);
    const issue = issues.find(({ path }) => path === expected.path);
    expect(issue, JSON.stringify(issues)).toMatchObject(expected);
    expect(issue?.problem).toMatch(problem);
  });

  test("all mistakes are told at once", () => {
    const paths = issuesOf("server: {port: x}\nstore: {knd: memory}\neviction: {policy: x}\n").map(({ path }) => path);
    expect(paths.sort()).toEqual(["eviction.policy", "server.port", "store.knd"]);
  });

  test("a mistake of the config is not told again for each profile", () => {
    expect(issuesOf("eviction: {keep_recent_units: -1}\n")).toHaveLength(1);
  });

  test("a file that does not exist or is no text is named", () => {
    using folder = temporaryFolder();
    const refusal = (file: string) => () => loadConfig({ file, environment: {}, flags: [] }, schemas);
    expect(refusal(`${folder.path}/none.yaml`)).toThrow(/none.yaml: .*no such file/);
    expect(refusal(folder.path)).toThrow(/it is a folder/);
    expect(refusal(folder.write("b.yaml", Buffer.from([0x61, 0x3a, 0x20, 0xff])))).toThrow(/not UTF-8/);
    expect(refusal(folder.write("c.yaml", "a: [\n"))).toThrow(/c.yaml:\d+:\d+: /);
    expect(refusal("/dev/zero")).toThrow(/larger than/);
  });

  test("no value is ever quoted: it may be a secret", () => {
    const canary = "canary-5e8b";
    const texts = [
      `server: {port: ${canary}, host: [${canary}]}\n`,
      `store: {url: {a: ${canary}}, kind: ${canary}}\n`,
      `profile: ${canary}\n`,
      `eviction: {policy: ${canary}}\n`,
      `a: '${canary}\n`,
    ];
    for (const text of texts) expect(JSON.stringify(issuesOf(text))).not.toContain(canary);
  });
});

test.each([
  ["127.0.0.1", true],
  ["127.8.8.8", true],
  ["::1", true],
  ["localhost", true],
  ["0.0.0.0", false],
  ["::", false],
  ["10.0.0.1", false],
  ["127.0.0.1.example.org", false],
  ["::ffff:10.0.0.1", false],
])("listening on %s without tokens is accepted: %s", (host, accepted) => {
  const attempt = () => configWith({ "server.host": host });
  if (accepted) expect(attempt().server.host).toBe(host);
  else expect(attempt).toThrow(/loopback/);
  expect(configWith({ "server.host": host, "server.dangerously_listen_without_auth": true }).server.host).toBe(host);
  expect(configWith({ "server.host": host, "server.auth.tokens_file": "t.yaml" }).server.host).toBe(host);
});
