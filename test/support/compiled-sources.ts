import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { type TemporaryFolder, temporaryFolder } from "./temporary-folder.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Some folders of src/ as JavaScript in a temporary folder, for a child process: Node.js 20 runs no TypeScript, and
 * dist/ may be older than the sources under test.
 */
export function compiledSources(folders: readonly string[]): TemporaryFolder {
  const target = temporaryFolder();
  target.write("package.json", '{ "type": "module" }');
  symlinkSync(join(ROOT, "node_modules"), join(target.path, "node_modules"), "junction");
  for (const folder of folders) {
    for (const name of readdirSync(join(ROOT, "src", folder), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts")) continue;
      const source = readFileSync(join(ROOT, "src", folder, name), "utf8");
      const { outputText } = ts.transpileModule(source, {
        compilerOptions: {
          target: ts.ScriptTarget.ES2023,
          module: ts.ModuleKind.ESNext,
          verbatimModuleSyntax: true,
          rewriteRelativeImportExtensions: true,
        },
      });
      const file = join(target.path, folder, name.replace(/\.ts$/, ".js"));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, outputText);
    }
  }
  return target;
}
