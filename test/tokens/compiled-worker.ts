import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import ts from "typescript";

/** A directory of worker modules, for tests that run from sources: Node 20 loads no TypeScript in a worker. */
export interface WorkerFolder {
  /** The project's counting worker, compiled. */
  readonly counting: URL;
  /** Writes a module of the test's own. */
  write(name: string, code: string): URL;
  remove(): void;
}

export function compileWorker(): WorkerFolder {
  const root = join(import.meta.dirname, "../..");
  const folder = mkdtempSync(join(tmpdir(), "contextd-worker-"));
  symlinkSync(join(root, "node_modules"), join(folder, "node_modules"), "dir");
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  for (const part of ["tokens", "model"]) {
    mkdirSync(join(folder, part));
    for (const file of readdirSync(join(root, "src", part))) {
      if (!file.endsWith(".ts")) continue;
      const { outputText } = ts.transpileModule(readFileSync(join(root, "src", part, file), "utf8"), {
        compilerOptions: {
          target: ts.ScriptTarget.ES2023,
          module: ts.ModuleKind.ESNext,
          verbatimModuleSyntax: true,
          rewriteRelativeImportExtensions: true,
        },
      });
      writeFileSync(join(folder, part, file.replace(/\.ts$/, ".js")), outputText);
    }
  }
  return {
    counting: pathToFileURL(join(folder, "tokens/counting-worker.js")),
    write(name, code) {
      writeFileSync(join(folder, name), code);
      return pathToFileURL(join(folder, name));
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
