import { readFileSync } from "node:fs";
import type { Config } from "./config/index.ts";
import { type NeedModel, readNeedModel } from "./ledger/index.ts";
import { ContextdError } from "./model/errors.ts";

const BUILTIN = new URL("./ledger/need-model.json", import.meta.url);

/**
 * The need model that the config names: the one that comes with contextd, or a file that training wrote. Throws
 * invalid_params when the file is none.
 */
export function openNeedModel({ need_model }: Pick<Config, "need_model">): NeedModel {
  const file = need_model === "builtin" ? BUILTIN : need_model;
  let text: unknown;
  try {
    text = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    const reason = error instanceof SyntaxError ? "is not JSON" : "cannot be read";
    throw new ContextdError("invalid_params", `The need model ${need_model} ${reason}: see need_model in the config.`, {
      path: "need_model",
    });
  }
  return readNeedModel(text);
}
