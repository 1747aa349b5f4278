// Writes what is generated from the config's schema: the JSON Schema for editors, the reference config and the
// tables of docs/config.md. Needs a build: npm run build && node scripts/generate-config-docs.mjs
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");

function schemaAs(format) {
  const args = [join(root, "dist/main.js"), "print-schema", "--format", format];
  const run = spawnSync(process.execPath, args, { encoding: "utf8", maxBuffer: 1 << 24 });
  if (run.status !== 0) throw new Error(`print-schema --format ${format} failed: ${run.stderr}`);
  return run.stdout;
}

const schemaFile = join(root, "config/contextd.schema.json");
writeFileSync(schemaFile, schemaAs("json"));
spawnSync(process.execPath, [join(root, "node_modules/@biomejs/biome/bin/biome"), "format", "--write", schemaFile], {
  cwd: root,
  stdio: ["ignore", "ignore", "inherit"],
});
writeFileSync(join(root, "config/contextd.yaml"), schemaAs("yaml"));
const page = join(root, "docs/config.md");
const [head, tail] = readFileSync(page, "utf8").split(/(?<=<!-- generated: keys -->\n)[\s\S]*(?=<!-- end of keys -->)/);
writeFileSync(page, `${head}\n${schemaAs("markdown")}\n${tail}`);
