import { provider } from "../provider.ts";

export const dashscope = provider({
  name: "dashscope",
  summary: "Alibaba's Model Studio (Qwen).",
  hints: ["internalerror.algo", "dashscope"],
  rules: { input_range: { kind: "context_length", says: ["range of input length should be [1, {limit}]"] } },
});
