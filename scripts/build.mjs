// Builds dist/: compiles src/ with tsc, copies the files that are not code, makes the bin executable.
import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const from = join(root, "src");
const to = join(root, "dist");

rmSync(to, { recursive: true, force: true });
const tsc = spawnSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", "tsconfig.build.json"], {
  cwd: root,
  stdio: ["ignore", "inherit", "inherit"],
});
if (tsc.status !== 0) process.exit(tsc.status ?? 1);

for (const entry of readdirSync(from, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || entry.name.endsWith(".ts")) continue;
  const file = join(entry.parentPath, entry.name);
  cpSync(file, join(to, relative(from, file)));
}
const bin = join(to, "main.js");
if (existsSync(bin)) chmodSync(bin, 0o755);
