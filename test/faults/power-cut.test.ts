import { randomBytes } from "node:crypto";
import { cpSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openJournal } from "../../src/store/index.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { type DiskOperation, straceIsThere, traceDisk } from "../support/disk-trace.ts";
import { type Random, seeded } from "../support/json-rpc-fuzz.ts";
import { FATES, FragileDisk } from "../support/power-cut.ts";
import { storeFolder } from "../support/store-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONG = process.env["CONTEXTD_LONG"] === "1";
const CUTS = LONG ? 5000 : 200;
const CONTROL_CUTS = 40;
const SEED = 20_251_121;
const CALLERS = 4;
/** Small calls of each caller, before and again after the big ones. */
const SMALL_CALLS = 12;
/** Calls that bring more log than is left without a checkpoint. */
const BIG_CALLS = 12;
const BIG_BYTES = 32 * 1024;

interface Recorded {
  /** The data folder as it was when the recording began. */
  readonly base: string;
  readonly operations: readonly DiskOperation[];
}

/** Records what a daemon does to its disk, and when it answers, while clients call it. */
async function record(env: Readonly<Record<string, string>> = {}): Promise<Recorded> {
  const data = storeFolder();
  const base = storeFolder();
  await using daemon = await DaemonProcess.start({ data, env });
  const { pid } = JSON.parse(await daemon.logged("contextd is ready")) as { pid: number };
  const trace = await traceDisk(pid, `${storeFolder()}/trace`);
  cpSync(data, base, { recursive: true });
  const rounds: readonly (readonly [calls: number, text: () => string])[] = [
    [SMALL_CALLS, () => "a small note"],
    [BIG_CALLS, () => randomBytes(BIG_BYTES).toString("base64")],
    [SMALL_CALLS, () => "another small note"],
  ];
  const work = async (session: string, round: number): Promise<void> => {
    const [calls, text] = rounds[round]!;
    if (round === 0) await post(daemon.url, "session.open", session, "open", {});
    for (let n = 0; n < calls; n++) {
      await post(daemon.url, "context.append", session, `${round}.${n}`, { text: text() });
    }
  };
  for (const round of rounds.keys()) {
    await Promise.all(Array.from({ length: CALLERS }, (_, n) => work(`s${n}`, round)));
    // The pause after the big calls is used for a checkpoint.
    if (round === 1) await checkpointed(daemon);
  }
  return { base, operations: await trace.end(data) };
}

/** A call whose answer tells, by its id, which idempotency key of which session it was made with. */
async function post(url: string, method: string, session: string, key: string, params: object): Promise<void> {
  const response = await fetch(`${url}/rpc`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: `${session}/${key}`,
      method,
      params: { session_id: session, idempotency_key: key, ...params },
    }),
  });
  expect(await response.json()).toHaveProperty("result");
}

async function checkpointed(daemon: DaemonProcess): Promise<void> {
  const fileBytes = async (): Promise<number> => {
    const health = (await (await fetch(`${daemon.url}/healthz`)).json()) as { journal: { file_bytes: number } };
    return health.journal.file_bytes;
  };
  while ((await fileBytes()) < BIG_CALLS * BIG_BYTES);
}

/** What was acknowledged by an operation, as `session/key`. */
function acknowledgedBy(operation: DiskOperation): string[] {
  if (operation.kind !== "send") return [];
  return [...operation.text.matchAll(/\{"jsonrpc":"2\.0","id":"([^"]+)","result"/g)].map(([, id]) => id as string);
}

interface Outcome {
  readonly acknowledged: number;
  readonly checkpoints: number;
  readonly cuts: number;
  /** Cuts after which something acknowledged was not there. */
  readonly losing: number;
  /** Cuts after which the store did not open, or did not verify. */
  readonly corrupt: string[];
}

/** Cuts the power at many points of what was recorded: half of them right after an answer has left. */
async function cutAll({ base, operations }: Recorded, count: number, random: Random): Promise<Outcome> {
  const answers = [...operations.keys()].filter((at) => acknowledgedBy(operations[at]!).length > 0);
  const points = Array.from({ length: count }, (_, n) =>
    n % 2 === 0 ? answers[Math.floor(random() * answers.length)]! : Math.floor(random() * operations.length),
  ).sort((a, b) => a - b);
  const disk = new FragileDisk(base);
  const acknowledged: string[] = [];
  const corrupt: string[] = [];
  let losing = 0;
  let next = 0;
  for (const [n, point] of points.entries()) {
    for (; next <= point; next++) {
      const operation = operations[next]!;
      disk.take(operation);
      acknowledged.push(...acknowledgedBy(operation));
    }
    using image = temporaryFolder();
    const fate = FATES[n % FATES.length]!;
    disk.cut(image.path, fate, random);
    try {
      if ((await missingFrom(image.path, acknowledged)).length > 0) losing++;
    } catch (error) {
      corrupt.push(`${fate} at ${point}: ${(error as Error).message}`);
    }
  }
  const checkpoints = operations.filter(
    ({ kind, ...rest }) => kind === "sync" && "path" in rest && rest.path.endsWith(".db"),
  );
  return { acknowledged: acknowledged.length, checkpoints: checkpoints.length, cuts: count, losing, corrupt };
}

/** Which of the acknowledged calls a store does not have. Throws when it is not sound. */
async function missingFrom(folder: string, acknowledged: readonly string[]): Promise<string[]> {
  const journal = await openJournal({ kind: "sqlite", path: folder });
  try {
    for (const { key } of await journal.sessions()) {
      const { brokenAt } = await journal.verify(key);
      if (brokenAt !== null) throw new Error(`the chain of ${key.id} breaks at ${brokenAt}`);
    }
    const missing: string[] = [];
    for (const call of acknowledged) {
      const [id = "", key = ""] = call.split("/");
      if ((await journal.findIdempotent({ tenant: "default", id }, key).catch(() => null)) === null) missing.push(call);
    }
    return missing;
  } finally {
    await journal.close();
  }
}

describe.runIf(straceIsThere())("power cuts", () => {
  it(`lose nothing acknowledged and leave a sound store: ${CUTS} of them`, async ({ annotate }) => {
    const outcome = await cutAll(await record(), CUTS, seeded(SEED));
    const { acknowledged, checkpoints, losing, corrupt } = outcome;
    await annotate(
      `${CUTS} cuts among ${acknowledged} answers and ${checkpoints} syncs of the database file: ${losing} lost something, ${corrupt.length} left a store that is not sound`,
    );
    expect(outcome.checkpoints).toBeGreaterThan(0);
    expect(outcome).toMatchObject({ losing: 0, corrupt: [] });
  });

  it("lose what was acknowledged where the log is not synced at each commit: the control", async ({ annotate }) => {
    const recorded = await record({ CONTEXTD_FAULTS: '{"unsafe":{"synchronous":"NORMAL"}}' });
    const { losing, corrupt } = await cutAll(recorded, CONTROL_CUTS, seeded(SEED));
    await annotate(`${CONTROL_CUTS} cuts: ${losing} lost something, ${corrupt.length} left a store that is not sound`);
    expect(losing).toBeGreaterThan(CONTROL_CUTS / 4);
  });
});
