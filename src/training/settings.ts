/** How rows are collected. Snake case: it is written to the model's file. */
export interface CollectSettings {
  /** Windows that each run is played at, as shares of its tokens. */
  readonly windows: readonly number[];
  /** Windows of fewer tokens are left out. */
  readonly least_window: number;
  /** The same for runs of fewer than `short_run` tokens. */
  readonly least_window_of_short_run: number;
  readonly short_run: number;
  /** Ledger and depth of the eviction that is played, as shares of the window. */
  readonly ledger_share: number;
  readonly depth: number;
  /** Share of the lines without a need that is kept; each then counts for 1 / share. */
  readonly zero_share: number;
  /** All rows of a run count in proportion to this / the need weight of the run. */
  readonly need_weight_of_run: number;
}

export interface TrainingSettings {
  readonly collect: CollectSettings;
  /** Weight of the ridge penalty on standardised features. */
  readonly alpha: number;
  /**
   * Added to each feature's deviation, in squares, when it is standardised: a feature that hardly varies in the runs that
   * were learned from gets no large weight, which another agent's runs would multiply.
   */
  readonly least_deviation: number;
}

export const TRAINING_SETTINGS: TrainingSettings = {
  collect: {
    windows: [0.2, 0.3, 0.42, 0.55],
    least_window: 3000,
    least_window_of_short_run: 1500,
    short_run: 15_000,
    ledger_share: 0.25,
    depth: 0.7,
    zero_share: 0.05,
    need_weight_of_run: 60,
  },
  alpha: 0.003,
  least_deviation: 0.2,
};
