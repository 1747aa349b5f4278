import { ContextdError } from "../model/errors.ts";
import { canonicalJson, type JsonObject } from "../model/json.ts";
import { describeIssues } from "./config-error.ts";
import { deepFreeze } from "./freeze.ts";
import { mergeSettings } from "./layer.ts";
import type { Config, SessionSettings } from "./schema.ts";
import type { ConfigSchemas } from "./schemas.ts";
import { closest } from "./suggestion.ts";

/** The keys that profiles and sessions may set. */
export const SESSION_KEYS = [
  "max_context_tokens",
  "pressure",
  "eviction",
  "ledger",
  "compression",
  "compaction",
  "fidelity",
  "notes",
  "budget",
  "delegation",
  "cross_window",
  "health_monitoring",
] as const satisfies readonly (keyof SessionSettings & keyof Config)[];

/** Distinct own settings kept resolved, beside those that live sessions hold by identity. */
const REMEMBERED = 256;

/** Carried by each config, invisible to whoever prints, compares or copies it. */
const RESOLVER = Symbol("contextd.settings-resolver");

/**
 * Settings of a session: the config, its profile over that, its own over that; validated and frozen. The same
 * arguments give the same object. Throws ContextdError `invalid_params` whose `data.path` names the parameter
 * (`profile`, or `settings.…`).
 */
export function resolveSettings(config: Config, profile: string, own: JsonObject = {}): SessionSettings {
  const resolver = (config as { readonly [RESOLVER]?: SettingsResolver })[RESOLVER];
  if (!resolver) throw new TypeError("resolveSettings needs a config as loadConfig made it, not a copy");
  return resolver.resolve(profile, own);
}

/** Freezes a validated config and makes it fit for `resolveSettings`. */
export function withSettings(config: Config, schemas: ConfigSchemas): Config {
  Object.defineProperty(config, RESOLVER, { value: new SettingsResolver(config, schemas) });
  return deepFreeze(config);
}

/** The schemas that the config was validated by. */
export function schemasOf(config: Config): ConfigSchemas {
  return (config as unknown as { readonly [RESOLVER]: SettingsResolver })[RESOLVER].schemas;
}

class SettingsResolver {
  readonly schemas: ConfigSchemas;
  readonly #config: Config;
  readonly #byIdentity = new Map<string, WeakMap<JsonObject, SessionSettings>>();
  readonly #byContent = new Map<string, SessionSettings>();

  constructor(config: Config, schemas: ConfigSchemas) {
    this.#config = config;
    this.schemas = schemas;
  }

  resolve(profile: string, own: JsonObject): SessionSettings {
    const known = this.#byIdentity.get(profile)?.get(own);
    if (known) return known;
    const content = `${profile}\n${canonicalJson(own)}`;
    const settings = this.#byContent.get(content) ?? this.#merge(profile, own);
    this.#remember(profile, own, content, settings);
    return settings;
  }

  #merge(profile: string, own: JsonObject): SessionSettings {
    const { profiles } = this.#config;
    if (!Object.hasOwn(profiles, profile)) throw unknownProfile(profile, Object.keys(profiles));
    const base = Object.fromEntries(SESSION_KEYS.map((key) => [key, this.#config[key]])) as unknown as JsonObject;
    const merged = mergeSettings(mergeSettings(base, profiles[profile] as JsonObject), own);
    const parsed = this.schemas.session.safeParse(merged);
    if (parsed.success) return deepFreeze(parsed.data as SessionSettings);
    const [finding] = describeIssues(parsed.error.issues, merged, this.schemas.settingsJson);
    const path = ["settings", ...(finding?.path ?? [])].join(".");
    throw new ContextdError("invalid_params", `${path} ${finding?.problem ?? "does not fit"}`, { path });
  }

  #remember(profile: string, own: JsonObject, content: string, settings: SessionSettings): void {
    const byIdentity = this.#byIdentity.get(profile) ?? new WeakMap();
    this.#byIdentity.set(profile, byIdentity.set(own, settings));
    this.#byContent.set(content, settings);
    if (this.#byContent.size <= REMEMBERED) return;
    const [oldest] = this.#byContent.keys();
    if (oldest !== undefined) this.#byContent.delete(oldest);
  }
}

function unknownProfile(profile: string, legal: readonly string[]): ContextdError {
  const meant = closest(profile, legal);
  const hint = meant === null ? "" : `did you mean "${meant}"? `;
  return new ContextdError("invalid_params", `profile names no profile; ${hint}legal: ${legal.join(", ")}`, {
    path: "profile",
    legal: [...legal],
  });
}
