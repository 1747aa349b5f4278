/**
 * Runs the calls of one session one after the other, in order of arrival. A call that fails does not hold up
 * the next one.
 */
export class SerialQueue {
  /** The last call's end; null when no call waits or runs: a queue at rest holds nothing. */
  #tail: Promise<unknown> | null = null;
  #length = 0;

  get length(): number {
    return this.#length;
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    this.#length++;
    const result = this.#tail === null ? task() : this.#tail.then(task);
    const left = () => {
      if (--this.#length === 0) this.#tail = null;
    };
    this.#tail = result.then(left, left);
    return result;
  }
}
