import { defineConfig } from "vitest/config";

/**
 * unit: mirrors src/ and contract/, docs/; property: any history, any policy; e2e: real processes;
 * faults: kill -9, lost replies, fuzz. The last two start the built daemon and run one file at a time; the groups follow one
 * another, so that nothing else takes the machine from what is timed.
 */
const longRun = process.env["CONTEXTD_LONG"] === "1";
/** Before every test file: properties run on the same cases. */
const setupFiles = ["test/support/fixed-seed.ts"];
const minutes = (n: number) => n * 60_000;

export default defineConfig({
  test: {
    projects: [
      {
        test: {
          name: "unit",
          setupFiles,
          include: ["test/**/*.test.ts"],
          exclude: ["test/{property,e2e,faults}/**"],
          testTimeout: minutes(2),
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: "property",
          setupFiles,
          include: ["test/property/**/*.test.ts"],
          testTimeout: minutes(longRun ? 120 : 5),
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: "e2e",
          setupFiles,
          include: ["test/e2e/**/*.test.ts"],
          testTimeout: minutes(5),
          hookTimeout: minutes(1),
          fileParallelism: false,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: "faults",
          setupFiles,
          include: ["test/faults/**/*.test.ts"],
          testTimeout: minutes(longRun ? 120 : 5),
          hookTimeout: minutes(1),
          fileParallelism: false,
          sequence: { groupOrder: 3 },
        },
      },
    ],
  },
});
