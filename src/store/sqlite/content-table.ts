import { contentHash } from "../../model/content-hash.ts";
import { damagedContent } from "../errors.ts";
import type { Content } from "../journal.ts";
import { RecentMap } from "../recent.ts";
import { decodeText, type EncodedText, encodeText, encodeTextAside, isLargeText } from "../text-codec.ts";
import { readBytes, readNumber } from "./columns.ts";
import { BindingError, type Connection } from "./driver.ts";

/** A content on its way into the table; `encoded` is null when it was there already when last looked. */
export interface PreparedContent {
  readonly content: Content;
  readonly encoded: EncodedText | null;
}

/** About 1.5 MB of hashes whose place is known without asking the table. */
const KNOWN = 8192;
const HASH = /^[0-9a-f]{64}$/;
const HASHES = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

/**
 * The contents, each stored once by the hash of its text. Ids rise in order of arrival, which lets the sweep tell
 * what arrived while it marks; `onUse` is told of each id that a row or snapshot comes to depend on.
 */
export class ContentTable {
  readonly #known = new RecentMap<string, number>(KNOWN);
  /** Inserted by the transaction that is open. */
  readonly #uncommitted = new Map<string, number>();
  readonly #verify: boolean;
  readonly #statements;
  #nextId: number;
  #committedNextId: number;
  onUse: ((id: number) => void) | null = null;

  constructor(connection: Connection, verify: boolean) {
    this.#verify = verify;
    this.#statements = {
      find: connection.prepare("SELECT id FROM content WHERE hash = ?"),
      insert: connection.prepare("INSERT INTO content (id, hash, enc, n, body) VALUES (?, ?, ?, ?, ?)"),
      read: connection.prepare("SELECT enc, n, body FROM content WHERE hash = ?"),
      page: connection.prepare("SELECT id FROM content WHERE id > ? AND id <= ? ORDER BY id LIMIT ?"),
      remove: connection.prepare("DELETE FROM content WHERE id = ?"),
    };
    this.#nextId = 1 + readNumber(connection.prepare("SELECT coalesce(max(id), 0) FROM content").get([])?.[0]);
    this.#committedNextId = this.#nextId;
  }

  get lastId(): number {
    return this.#committedNextId - 1;
  }

  /** Encodes what the table does not have, large texts on another thread. */
  prepare(contents: readonly Content[]): PreparedContent[] | Promise<PreparedContent[]> {
    const aside = contents.some(({ hash, body }) => isLargeText(body) && this.find(hash) === null);
    if (aside) return Promise.all(contents.map((content) => this.#prepareAside(content)));
    return contents.map((content) => ({
      content,
      encoded: this.find(content.hash) === null ? encodeText(content.body) : null,
    }));
  }

  async #prepareAside(content: Content): Promise<PreparedContent> {
    if (this.find(content.hash) !== null) return { content, encoded: null };
    return {
      content,
      encoded: await (isLargeText(content.body) ? encodeTextAside(content.body) : encodeText(content.body)),
    };
  }

  /** Id of a stored content, or null. */
  find(hash: string): number | null {
    if (!HASH.test(hash)) throw new BindingError("a content's hash is not 64 lower-case hex digits");
    const known = this.#uncommitted.get(hash) ?? this.#known.get(hash);
    if (known !== undefined) return known;
    const row = this.#statements.find.get([Buffer.from(hash, "hex")]);
    if (row === undefined) return null;
    const id = readNumber(row[0]);
    this.#known.set(hash, id);
    return id;
  }

  /** Within a transaction: stores the content unless it is there. Throws BindingError if the hash is another text's. */
  store(prepared: PreparedContent): void {
    const { hash, body } = prepared.content;
    const found = this.find(hash);
    if (found !== null) {
      this.onUse?.(found);
      return;
    }
    // A wrong address would give this text to every other session that stores the right one.
    if (contentHash(body) !== hash) throw new BindingError("a content's hash is not that of its text");
    const { encoding, plainBytes, bytes } = prepared.encoded ?? encodeText(body);
    const id = this.#nextId++;
    this.#statements.insert.run([id, Buffer.from(hash, "hex"), encoding, plainBytes, bytes]);
    this.#uncommitted.set(hash, id);
  }

  /** Marks the stored contents whose hashes stand in a snapshot, when somebody wants to know. */
  useNamedIn(snapshot: string): void {
    if (this.onUse === null) return;
    for (const [hash] of snapshot.matchAll(HASHES)) this.use(hash);
  }

  /** Marks a stored content, when somebody wants to know. */
  use(hash: string): void {
    const id = this.onUse === null ? null : this.find(hash);
    if (id !== null) this.onUse?.(id);
  }

  committed(): void {
    for (const [hash, id] of this.#uncommitted) this.#known.set(hash, id);
    this.#uncommitted.clear();
    this.#committedNextId = this.#nextId;
  }

  rolledBack(): void {
    this.#uncommitted.clear();
    this.#known.clear();
    this.#nextId = this.#committedNextId;
  }

  /** The text, or null when there is none. Throws when what is stored is not the text of that hash. */
  read(hash: string): string | null {
    const row = HASH.test(hash) ? this.#statements.read.get([Buffer.from(hash, "hex")]) : undefined;
    if (row === undefined) return null;
    let text: string;
    try {
      text = decodeText({ encoding: readNumber(row[0]), plainBytes: readNumber(row[1]), bytes: readBytes(row[2]) });
    } catch (error) {
      throw damagedContent(hash, error);
    }
    if (this.#verify && contentHash(text) !== hash) throw damagedContent(hash);
    return text;
  }

  /** Ids in (`after`, `upTo`], in order, at most `limit`. */
  page(after: number, upTo: number, limit: number): number[] {
    return this.#statements.page.all([after, upTo, limit]).map((row) => readNumber(row[0]));
  }

  /** Within a transaction of the sweep's own. */
  remove(id: number): void {
    this.#statements.remove.run([id]);
  }

  /** After a sweep: some of what was known is gone. */
  forget(): void {
    this.#known.clear();
  }
}
