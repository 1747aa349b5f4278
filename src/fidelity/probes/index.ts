import type { ProbeKind } from "../candidate.ts";
import { constraint } from "./constraint.ts";
import { decision } from "./decision.ts";
import { error } from "./error.ts";
import { file } from "./file.ts";
import { goal } from "./goal.ts";
import { nextStep } from "./next-step.ts";
import { number } from "./number.ts";

/** Every kind of probe, in the order in which they are asked. A new one is a file here, a line here and its type in model. */
export const probeKinds: readonly ProbeKind[] = [goal, constraint, decision, file, error, number, nextStep];
