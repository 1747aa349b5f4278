import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface TemporaryFolder extends Disposable {
  readonly path: string;
  /** Writes a file into the folder and gives its path. */
  write(name: string, content: string | Uint8Array): string;
}

/** A folder under the system's temporary one; gone when its scope ends (`using`). */
export function temporaryFolder(): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), "contextd-test-"));
  return {
    path,
    write(name, content) {
      const file = join(path, name);
      writeFileSync(file, content);
      return file;
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}
