import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** What replacing a file asks of the file system. */
export interface Disk {
  mkdir(path: string, options: { readonly recursive: true }): Promise<unknown>;
  open(path: string, flags: "w", mode: number): Promise<OpenFile>;
  rename(from: string, to: string): Promise<void>;
}

interface OpenFile {
  writeFile(text: string): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Puts a text in the place of a file's, whole: it is on the disk before the file is renamed, so that a crash leaves
 * the old one or the new one. Readable by the daemon's user alone; folders that are missing are made. What a crash
 * left beside it is written over.
 */
export async function replaceFile(path: string, text: string, disk: Disk = { mkdir, open, rename }): Promise<void> {
  await disk.mkdir(dirname(path), { recursive: true });
  const beside = `${path}.new`;
  const file = await disk.open(beside, "w", 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await disk.rename(beside, path);
}
