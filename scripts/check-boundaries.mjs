// Runs dependency-cruiser over src/ and fails when it saw no modules: a resolver that silently finds nothing
// would pass every rule.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";

const sources = readdirSync("src", { recursive: true }).filter((file) => String(file).endsWith(".ts")).length;
const run = spawnSync(
  process.execPath,
  [
    "node_modules/dependency-cruiser/bin/dependency-cruise.mjs",
    "--config",
    ".dependency-cruiser.cjs",
    "--output-type",
    "json",
    "src",
  ],
  { encoding: "utf8", maxBuffer: 1 << 28 },
);
if (!run.stdout) {
  process.stderr.write(run.stderr);
  process.exit(1);
}
const { summary, modules } = JSON.parse(run.stdout);
const seen = modules.filter((module) => module.source.startsWith("src/") && module.source.endsWith(".ts")).length;
for (const { rule, from, to } of summary.violations) console.error(`${rule.name}: ${from} -> ${to}`);
if (seen === 0 || seen < sources * 0.9) {
  console.error(`boundaries: dependency-cruiser saw ${seen} of ${sources} modules; its verdict means nothing`);
  process.exit(1);
}
console.error(`boundaries: ${seen} modules, ${summary.totalDependenciesCruised} dependencies, ${summary.error} errors`);
process.exit(summary.error > 0 ? 1 : 0);
