/** How tokens are counted: in an encoding as the daemon does, or by the rule of thumb. */
export const COUNTS = ["o200k_base", "cl100k_base", "chars"] as const;
export type CountName = (typeof COUNTS)[number];
