import { z } from "zod";
import { bearer, besideVersion, type LimitsSource } from "./source.ts";

const size = z.int().positive();
const props = z.looseObject({
  default_generation_settings: z.looseObject({ n_ctx: size.optional() }).optional(),
  n_ctx: size.optional(),
});

/** llama.cpp: `/props` tells the context of one slot, which is what a request gets however many slots there are. */
export const llamaCpp: LimitsSource = {
  name: "llama.cpp",
  api: "openai-chat",

  async window(endpoint, ask) {
    const url = besideVersion(endpoint.baseUrl, "/props");
    const { data } = props.safeParse(await ask({ method: "GET", url, headers: bearer(endpoint) }));
    const tokens = data?.default_generation_settings?.n_ctx ?? data?.n_ctx;
    return tokens === undefined ? null : { tokens, settled: true };
  },
};
