import { COMPONENTS, type Component } from "../model/block.ts";
import type { ComponentTokens } from "./burn.ts";

/** What holds tokens of the prompt; the reserve for the answer holds none. */
const HELD = COMPONENTS.filter((component) => component !== "output_reserved");

/**
 * The context's tokens by component: the one way in which they are told. What is counted by component is uncalibrated,
 * and the context's size is not (a learned factor, the provider's own count, what the wire adds): each component has its
 * share of that size, in whole tokens by the largest remainders, so that together they are the size. Empty where
 * nothing is known of what the context holds.
 *
 * @param total tokens of the context, a whole number.
 */
export function tokensByComponent(total: number, counted: ComponentTokens): Partial<Record<Component, number>> {
  let sum = 0;
  for (const component of HELD) sum += counted[component] ?? 0;
  const shares: Partial<Record<Component, number>> = {};
  if (sum <= 0) return shares;
  const rests: { readonly component: Component; readonly rest: number }[] = [];
  let left = total;
  for (const component of HELD) {
    const exact = ((counted[component] ?? 0) * total) / sum;
    const whole = Math.floor(exact);
    shares[component] = whole;
    left -= whole;
    rests.push({ component, rest: exact - whole });
  }
  rests.sort((a, b) => b.rest - a.rest);
  for (const { component } of rests.slice(0, left)) shares[component] = (shares[component] ?? 0) + 1;
  return shares;
}
