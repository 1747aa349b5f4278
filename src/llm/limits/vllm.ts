import { z } from "zod";
import { bearer, besideVersion, type LimitsSource } from "./source.ts";

const models = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), max_model_len: z.int().positive().optional() })),
});
const tokenized = z.looseObject({ count: z.int().nonnegative(), max_model_len: z.int().positive() });

/** vLLM: `max_model_len` in the list of models and in what `/tokenize` answers, which counts as the model does. */
export const vllm: LimitsSource = {
  name: "vllm",
  api: "openai-chat",

  async window(endpoint, ask) {
    const headers = bearer(endpoint);
    const list = models.safeParse(await ask({ method: "GET", url: new URL(`${endpoint.baseUrl}/models`), headers }));
    const listed = list.data?.data.find(({ id }) => id === endpoint.model)?.max_model_len;
    if (listed !== undefined) return { tokens: listed, settled: true };
    const body = { model: endpoint.model, prompt: "limits" };
    const reply = tokenized.safeParse(
      await ask({ method: "POST", url: besideVersion(endpoint.baseUrl, "/tokenize"), headers, body }),
    );
    return reply.success ? { tokens: reply.data.max_model_len, settled: true } : null;
  },

  async count(endpoint, { system, user }, ask) {
    const messages = [...(system === "" ? [] : [{ role: "system", content: system }]), { role: "user", content: user }];
    const url = besideVersion(endpoint.baseUrl, "/tokenize");
    const body = { model: endpoint.model, messages };
    const reply = tokenized.safeParse(await ask({ method: "POST", url, headers: bearer(endpoint), body }));
    return reply.data?.count ?? null;
  },
};
