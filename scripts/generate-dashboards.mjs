// Writes dashboards/*.json from src/dashboards/. Needs a build: npm run build && node scripts/generate-dashboards.mjs
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { dashboardFiles, dashboardText } from "../dist/dashboards/index.js";

const folder = join(dirname(fileURLToPath(import.meta.url)), "..", "dashboards");
mkdirSync(folder, { recursive: true });
for (const file of dashboardFiles()) writeFileSync(join(folder, file.name), dashboardText(file));
