import type { Logger } from "../log.ts";
import type { Observer, PublishedEvent } from "../model/events.ts";
import type { SessionKey } from "../model/session-key.ts";
import type { Copy, CopyText } from "./copy.ts";
import { copyPath } from "./copy-path.ts";
import { replaceFile } from "./replace-file.ts";

export interface CopyWriterDependencies {
  readonly copies: readonly Copy[];
  readonly log: Pick<Logger, "warn">;
}

interface Waiting {
  readonly copy: Copy;
  readonly key: SessionKey;
  readonly text: CopyText;
}

/**
 * Writes copies for people, a file a session, whenever what they copy has changed: after the call was answered, one
 * file at a time, whole and by renaming. What changes faster than that is written once, as it was last. A file that
 * cannot be written is told in the log; the next change tries again.
 */
export class CopyWriter implements Observer {
  readonly name = "copies for people";
  readonly #deps: CopyWriterDependencies;
  /** By path. */
  readonly #changed = new Map<string, Waiting>();
  #writing: Promise<void> = Promise.resolve();
  #idle = true;

  constructor(dependencies: CopyWriterDependencies) {
    this.#deps = dependencies;
  }

  observe(events: readonly PublishedEvent[]): void {
    for (const event of events) {
      if (event.session === null || event.labels === null) continue;
      const key = { tenant: event.tenant, id: event.session };
      for (const copy of this.#deps.copies) this.#note(copy, event, key, event.labels.profile);
    }
    if (!this.#idle || this.#changed.size === 0) return;
    this.#idle = false;
    this.#writing = this.#write();
  }

  /** Resolves when all that has changed is written. */
  async close(): Promise<void> {
    await this.#writing;
  }

  #note(copy: Copy, event: PublishedEvent, key: SessionKey, profile: string): void {
    const text = copy.textAfter(event);
    const file = text === null ? null : copy.fileOf(profile);
    if (text !== null && file !== null) this.#changed.set(copyPath(file, key, copy.extension), { copy, key, text });
  }

  async #write(): Promise<void> {
    for (let [next] = this.#changed; next; [next] = this.#changed) {
      const [path, { copy, key, text }] = next;
      // The call that changed it is answered first, and what else changes meanwhile is written with it.
      await new Promise((resolve) => setImmediate(resolve));
      const newest = this.#changed.get(path) ?? { copy, key, text };
      this.#changed.delete(path);
      try {
        const content = await newest.text(key);
        if (content !== null) await replaceFile(path, content);
      } catch (error) {
        this.#deps.log.warn({ err: error, tenant: key.tenant }, `${copy.what} could not be copied to a file`);
      }
    }
    this.#idle = true;
  }
}
