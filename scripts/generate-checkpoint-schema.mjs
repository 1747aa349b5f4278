// Writes docs/checkpoint.schema.json from the schema of the document. Needs a build:
// npm run build && node scripts/generate-checkpoint-schema.mjs
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { checkpointJsonSchema } from "../dist/window/checkpoint/index.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const file = join(root, "docs/checkpoint.schema.json");
writeFileSync(file, `${JSON.stringify(checkpointJsonSchema(), null, 2)}\n`);
spawnSync(process.execPath, [join(root, "node_modules/@biomejs/biome/bin/biome"), "format", "--write", file], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});
