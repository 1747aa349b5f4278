import type { Environment } from "../config/index.ts";
import type { BuiltInStrategies } from "../open-config.ts";
import type { CountName } from "../replay/count-names.ts";
import type { ObjectiveName } from "../tune/objective.ts";
import type { ServeProcess } from "./serve.ts";

/** What `contextd tune` needs from outside. */
export interface TuneDependencies {
  readonly environment: Environment;
  readonly builtIn: BuiltInStrategies;
  readonly version: string;
  readonly process: ServeProcess;
  stdout(text: string): void;
  stderr(text: string): void;
}

/** Its options, as they were parsed. */
export interface TuneFlags {
  readonly window: readonly string[];
  readonly budgetMinutes?: number;
  readonly trials?: number;
  readonly objective: ObjectiveName;
  readonly costPrice: number;
  readonly maxCost?: number;
  readonly minRecall?: number;
  readonly trainShare: number;
  readonly seed: number;
  readonly search: readonly string[];
  readonly policy: readonly string[];
  readonly count: CountName;
  readonly model?: string;
  readonly out?: string;
  readonly name: string;
  readonly force?: boolean;
  readonly json?: boolean;
  readonly config?: string;
}

export const DEFAULT_TUNE_WINDOWS = ["25%", "16k"];
export const DEFAULT_BUDGET_MINUTES = 10;
