// Builds dist/: compiles src/ with tsc, copies the files that are not code, makes the bin executable.
// With --if-needed it does nothing when dist/ is newer than everything it is made of. The new dist/ takes the place of
// the old one in one step, so that a daemon that runs from it never finds half of it.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const from = join(root, "src");
const to = join(root, "dist");
const made = join(root, `dist.${process.pid}.new`);
const old = join(root, `dist.${process.pid}.old`);
const stamp = join(to, ".built");

const sources = readdirSync(from, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
const files = sources.map((entry) => join(entry.parentPath, entry.name));

if (process.argv.includes("--if-needed") && existsSync(stamp)) {
  const built = statSync(stamp).mtimeMs;
  const inputs = [
    ...files,
    ...["tsconfig.json", "tsconfig.build.json", "package.json"].map((name) => join(root, name)),
  ];
  if (inputs.every((file) => statSync(file).mtimeMs < built)) process.exit(0);
}

process.on("exit", () => {
  for (const folder of [made, old]) rmSync(folder, { recursive: true, force: true });
});
const tsc = join(root, "node_modules/typescript/bin/tsc");
const compiled = spawnSync(process.execPath, [tsc, "-p", "tsconfig.build.json", "--outDir", made], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
});
if (compiled.status !== 0) process.exit(compiled.status ?? 1);
for (const file of files) if (!file.endsWith(".ts")) cpSync(file, join(made, relative(from, file)));
chmodSync(join(made, "main.js"), 0o755);
writeFileSync(join(made, ".built"), "");
if (existsSync(to)) renameSync(to, old);
renameSync(made, to);
