/** Counts the tokens of a text in one encoding. */
export interface Tokenizer {
  /** The name it is registered and configured under. */
  readonly name: string;
  /**
   * Tokens of the whole text. Special-token text such as `<|endoftext|>` counts as the plain text it is; a lone
   * surrogate counts as U+FFFD. Synchronous; time in proportion to the text's length, but for a logarithm.
   */
  count(text: string): number;
  /**
   * The same count, or null once a piece (what the encoding merges in one go) is longer than so many bytes of UTF-8: a
   * single long one takes much longer than as many short ones. Absent where no piece is long.
   */
  countShortPieces?(text: string, longestBytes: number): number | null;
  /**
   * The same count in slices of about `sliceBytes` bytes of UTF-8: it yields between two slices, so that a caller on
   * the event loop can let others run, and returns the tokens. Absent where the tokenizer cannot pause.
   */
  countInSlices?(text: string, sliceBytes: number): Generator<void, number, void>;
}

/** Makes a tokenizer. Called once for each counter, when the encoding is first needed: it may load rank data. */
export type TokenizerFactory = () => Tokenizer;
