// Writes docs/rpc.md from the registry of methods. Needs a build: npm run build && node scripts/generate-rpc-docs.mjs
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { renderRpcDocs } from "../dist/rpc/docs.js";
import { documentedMethods } from "../dist/rpc/methods/index.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
writeFileSync(join(root, "docs/rpc.md"), renderRpcDocs(documentedMethods()));
