// Lists and runs the benchmarks, one a claim, each in a process of its own. Build first.
//
//   npm run bench                     all, one after the other
//   npm run bench -- hook-cost        the named ones
//   npm run bench -- --list           what there is
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const folder = fileURLToPath(new URL(".", import.meta.url));
const names = readdirSync(folder)
  .filter((file) => file.endsWith(".mjs") && file !== "run.mjs")
  .map((file) => file.slice(0, -".mjs".length));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { list: { type: "boolean", default: false } },
});

function refuse(sentence) {
  process.stderr.write(`${sentence}\n`);
  process.exit(2);
}

async function run(name) {
  process.stdout.write(`== ${name}\n`);
  const child = spawn(process.execPath, ["--expose-gc", join(folder, `${name}.mjs`)], { stdio: "inherit" });
  const [code] = await once(child, "exit");
  return code === 0;
}

if (values.list) {
  process.stdout.write(`${names.join("\n")}\n`);
} else {
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) refuse(`There is no benchmark ${unknown.join(", ")}; there are: ${names.join(", ")}.`);
  if (!existsSync(join(folder, "../dist/main.js"))) refuse("There is no dist/: run `npm run build` first.");
  const missed = [];
  for (const name of positionals.length > 0 ? positionals : names) {
    if (!(await run(name))) missed.push(name);
  }
  process.stdout.write(missed.length === 0 ? "All claims hold.\n" : `Claims that do not hold: ${missed.join(", ")}.\n`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}
