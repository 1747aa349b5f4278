import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "./copies/index.ts";

/** Where it is written what of alerts has been delivered: beside the journal; null where the journal is in memory. */
export function alertRecordFile(storeKind: string, folder: string) {
  if (storeKind === "memory") return null;
  const path = join(folder, "alerts.json");
  return {
    async read(): Promise<string | null> {
      try {
        return await readFile(path, "utf8");
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
        throw error;
      }
    },
    write: (text: string) => replaceFile(path, text),
  };
}
