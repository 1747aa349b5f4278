export interface ClosersOptions {
  /** Time that one teardown has, in ms, unless it says otherwise. */
  readonly timeoutMs: number;
}

interface Closer {
  readonly name: string;
  readonly timeoutMs: number;
  readonly close: () => void | Promise<void>;
}

/** A teardown that failed or took too long; the others have run all the same. */
export class CloseError extends Error {
  readonly closer: string;

  constructor(closer: string, problem: string, options?: ErrorOptions) {
    super(`closing ${closer} ${problem}`, options);
    this.name = "CloseError";
    this.closer = closer;
  }
}

/**
 * What has been opened, and how to close it. Whatever is acquired is registered at once, so that one path,
 * last in first out, ends both a daemon that ran and one whose start failed half way. Each teardown is bounded
 * in time; a failed one does not keep the rest from running.
 */
export class Closers {
  readonly #options: ClosersOptions;
  readonly #stack: Closer[] = [];
  #closing: Promise<void> | null = null;

  constructor(options: ClosersOptions) {
    this.#options = options;
  }

  /** Opens something and registers its teardown. After `close` has begun it is closed again at once. */
  async acquire<T>(
    name: string,
    open: () => T | Promise<T>,
    close: (opened: T) => void | Promise<void>,
    timeoutMs?: number,
  ): Promise<T> {
    const opened = await open();
    if (this.#closing) {
      await close(opened);
      throw new CloseError(name, "at once: everything else is closed already");
    }
    this.add(name, () => close(opened), timeoutMs);
    return opened;
  }

  /** Registers the teardown of something that is open. */
  add(name: string, close: () => void | Promise<void>, timeoutMs: number = this.#options.timeoutMs): void {
    if (this.#closing) throw new CloseError(name, "was registered too late: everything else is closed already");
    this.#stack.push({ name, close, timeoutMs });
  }

  /**
   * Closes everything, the last opened first. Calling it again gives the same promise. Rejects with an
   * AggregateError of CloseErrors, in order, when any failed.
   */
  close(): Promise<void> {
    this.#closing ??= this.#drain();
    return this.#closing;
  }

  async #drain(): Promise<void> {
    const errors: CloseError[] = [];
    for (let closer = this.#stack.pop(); closer; closer = this.#stack.pop()) {
      const error = await closeInTime(closer);
      if (error) errors.push(error);
    }
    if (errors.length > 0) throw new AggregateError(errors, errors.map((error) => error.message).join("; "));
  }
}

/**
 * Runs a start. When it throws, what it had acquired is closed, and the error is thrown on; errors of the
 * closing are added to it, since they came second.
 */
export async function startOrRollBack<T>(closers: Closers, start: (closers: Closers) => Promise<T>): Promise<T> {
  try {
    return await start(closers);
  } catch (error) {
    try {
      await closers.close();
    } catch (failed) {
      const message = error instanceof Error ? error.message : "the start failed";
      throw new AggregateError([error, ...(failed as AggregateError).errors], message, { cause: error });
    }
    throw error;
  }
}

async function closeInTime({ name, close, timeoutMs }: Closer): Promise<CloseError | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<CloseError>((resolve) => {
    timer = setTimeout(() => resolve(new CloseError(name, `took longer than ${timeoutMs} ms`)), timeoutMs);
  });
  const closed = (async () => {
    try {
      await close();
      return null;
    } catch (error) {
      return new CloseError(name, "failed", { cause: error });
    }
  })();
  try {
    return await Promise.race([closed, late]);
  } finally {
    clearTimeout(timer);
  }
}
