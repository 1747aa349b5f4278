import { z } from "zod";
import { bearer, besideVersion, type LimitsSource } from "./source.ts";

/**
 * The least that Ollama serves a model with by default (it depends on the machine's memory). It cuts longer prompts
 * without a word, so nothing larger may be assumed before the model is loaded.
 */
const LEAST_WINDOW = 4096;

const running = z.looseObject({
  models: z.array(
    z.looseObject({ name: z.string(), model: z.string().optional(), context_length: z.int().optional() }),
  ),
});
const shown = z.looseObject({ parameters: z.string().optional() });

/**
 * Ollama: `/api/ps` tells the window of a loaded model; `/api/show` the `num_ctx` that its Modelfile sets, if it does. The
 * `context_length` of `/api/show` is what the model was trained for, not what it is served with, and is not used.
 */
export const ollama: LimitsSource = {
  name: "ollama",
  api: "openai-chat",

  async window(endpoint, ask) {
    const headers = bearer(endpoint);
    const list = running.safeParse(
      await ask({ method: "GET", url: besideVersion(endpoint.baseUrl, "/api/ps"), headers }),
    );
    if (!list.success) return null;
    const names = new Set([endpoint.model, `${endpoint.model}:latest`]);
    const loaded = list.data.models.find(({ name, model }) => names.has(name) || (model && names.has(model)));
    if (loaded?.context_length) return { tokens: loaded.context_length, settled: true };
    const body = { model: endpoint.model };
    const url = besideVersion(endpoint.baseUrl, "/api/show");
    const { data } = shown.safeParse(await ask({ method: "POST", url, headers, body }));
    const set = /^num_ctx\s+(\d+)\s*$/m.exec(data?.parameters ?? "")?.[1];
    return set === undefined ? { tokens: LEAST_WINDOW, settled: false } : { tokens: Number(set), settled: true };
  },
};
