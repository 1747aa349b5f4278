import fc from "fast-check";

/**
 * Properties run on the same cases every time, so that a change is judged by what it changed. The long forms, and
 * CONTEXTD_SEED=random or a number, look further: what they find becomes a test of its own.
 */
const wanted = process.env["CONTEXTD_SEED"] ?? (process.env["CONTEXTD_LONG"] === "1" ? "random" : "1206");
if (wanted !== "random") fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(wanted) });
