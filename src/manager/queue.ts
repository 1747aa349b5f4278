/**
 * Runs the calls of one session one after the other, in order of arrival. A call that fails does not hold up
 * the next one.
 */
export class SerialQueue {
  #tail: Promise<unknown> = Promise.resolve();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  run<T>(task: () => Promise<T>): Promise<T> {
    this.#length++;
    const result = this.#tail.then(task).finally(() => {
      this.#length--;
    });
    this.#tail = result.catch(() => undefined);
    return result;
  }
}
