import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { JsonObject } from "../model/json.ts";
import { readFileLayer } from "./file-layer.ts";

/** The package's own profiles: the same folder from src/ and from dist/. */
const FOLDER = fileURLToPath(new URL("../../config/profiles/", import.meta.url));

/** The built-in profiles by name: one file each, named like the profile. */
export function readBuiltInProfiles(folder: string = FOLDER): Record<string, JsonObject> {
  const files = readdirSync(folder).filter((file) => file.endsWith(".yaml"));
  return Object.fromEntries(
    files.sort().map((file) => [file.slice(0, -".yaml".length), readFileLayer(join(folder, file)).value]),
  );
}
