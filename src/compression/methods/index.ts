import type { Registry } from "../../model/strategy.ts";
import type { CompressionMethod } from "../method.ts";
import { headTail } from "./head_tail.ts";

/** The compression methods by the name that a config's cascade uses. */
export const compressionMethods = {
  head_tail: headTail,
} as const satisfies Registry<CompressionMethod>;
