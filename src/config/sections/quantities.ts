import { z } from "zod";

/** A share of something: above 0, below 1. */
export const properShare = () => z.number().gt(0).lt(1);

/** A share of something, nothing and everything included. */
export const share = () => z.number().min(0).max(1);

/** A whole number of things, tokens, turns or bytes. */
export const count = (minimum = 0, maximum = 1_000_000_000) => z.int().min(minimum).max(maximum);

/** Whole milliseconds; a day at most, so that a figure in another unit is noticed. */
export const milliseconds = (minimum = 1) => z.int().min(minimum).max(86_400_000);

/** A path on this machine; NUL can be in none. */
export const path = () =>
  z
    .string()
    .min(1)
    .max(4096)
    .regex(/^[^\0]*$/, "a path holds no NUL character");
