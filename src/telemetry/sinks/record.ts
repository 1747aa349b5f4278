import { z } from "zod";
import type { Log } from "../../model/log.ts";
import { type Incident, incidentSchema } from "./incident.ts";

/** Where the record is kept between two runs of the daemon. */
export interface RecordFile {
  /** null: there is none yet. */
  read(): Promise<string | null>;
  /** Replaces it whole; resolves when it is on the disk. */
  write(text: string): Promise<void>;
}

const recordSchema = z.strictObject({ version: z.literal(1), incidents: z.array(incidentSchema) });

/**
 * What destinations have been told, on the disk: written before a notice is sent, so that after a crash it is known
 * whom to tell of the end, and after it was taken. One write at a time; what changes meanwhile is written with the next.
 */
export class DeliveryRecord {
  readonly #file: RecordFile | null;
  readonly #log: Log;
  readonly #incidents: () => Iterable<Incident>;
  #writing: Promise<void> | null = null;
  #next: Promise<void> | null = null;
  #failing = false;

  /** `file` null: nothing outlives the process. */
  constructor(file: RecordFile | null, dependencies: { log: Log; incidents: () => Iterable<Incident> }) {
    this.#file = file;
    this.#log = dependencies.log;
    this.#incidents = dependencies.incidents;
  }

  /** The incidents of the last run; none where the record cannot be read. */
  async read(): Promise<readonly Incident[]> {
    try {
      const text = (await this.#file?.read()) ?? null;
      return text === null ? [] : recordSchema.parse(JSON.parse(text)).incidents;
    } catch {
      this.#log.warn({}, "the record of alert deliveries cannot be read: what fires is delivered again");
      return [];
    }
  }

  /** Resolves when the state of now, or a later one, is on the disk. Never rejects: a disk that fails delays no alert. */
  flush(): Promise<void> {
    if (this.#file === null) return Promise.resolve();
    if (!this.#writing) {
      this.#writing = this.#write(this.#file).finally(() => {
        this.#writing = null;
      });
      return this.#writing;
    }
    this.#next ??= this.#writing.then(() => {
      this.#next = null;
      return this.flush();
    });
    return this.#next;
  }

  async #write(file: RecordFile): Promise<void> {
    // What else happens in this moment is written with it.
    await new Promise((resolve) => setImmediate(resolve));
    try {
      await file.write(JSON.stringify({ version: 1, incidents: [...this.#incidents()] }));
      this.#failing = false;
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (!this.#failing) this.#log.warn({ code }, "the record of alert deliveries cannot be written");
      this.#failing = true;
    }
  }
}
