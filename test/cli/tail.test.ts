import { afterEach, describe, expect, it } from "vitest";
import { eventLine } from "../../src/cli/event-line.ts";
import { tail, tailCommand } from "../../src/cli/tail.ts";
import type { StreamEvent } from "../../src/client/index.ts";
import { EventDaemon } from "../support/event-daemon.ts";
import { published } from "../support/published-event.ts";

function event(over: Partial<StreamEvent> = {}): StreamEvent {
  return {
    type: "contextd.zone.changed.v1",
    sequence: 7,
    time: "2025-11-21T14:02:11.000Z",
    subject: "webhook-retry-a7fa",
    data: {
      from: "orange",
      to: "red",
      utilization: 0.928,
      tokens: 118_784,
      velocity: 976,
      turns_until_red: 0,
      cause: "growth",
    },
    ...over,
  };
}

describe("a line of tail", () => {
  it("says when, who, what and how full in words", () => {
    expect(eventLine(event(), false)).toMatch(
      /^\d\d:02:11 ◆ webhook-retry-a7fa {10,} zone\.changed +orange to red, 92\.8% \(118\.8k\), by growth$/,
    );
  });

  it("is coloured by zone when asked, and carries no escape codes otherwise", () => {
    expect(eventLine(event(), true)).toContain("\u001b[1;31m◆");
    expect(eventLine(event(), false)).not.toContain("\u001b");
  });

  it("lets no control character of a name reach the terminal", () => {
    const line = eventLine(
      event({ subject: "a\u001b[2Jb\u202e\nc", type: "contextd.session.closed.v1", data: { reason: "x\u0007" } }),
      false,
    );
    expect(line).not.toMatch(/[\p{Cc}\u202e]/u);
  });

  it("stays one line for an event of a newer daemon", () => {
    expect(eventLine(event({ type: "contextd.moon.rose.v2", data: { phase: "full" } }), false)).toContain(
      '{"phase":"full"}',
    );
  });
});

const cleanups: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

async function daemon(): Promise<EventDaemon> {
  const made = await new EventDaemon().start();
  cleanups.push(() => made.kill());
  return made;
}

describe("tail", () => {
  it("prints the events as JSON lines from a cursor on, and ends with 0 when interrupted", async () => {
    const { url, stream } = await daemon();
    stream.observe([1, 2, 3].map((turn) => published("turn.started", { turn }, { sequence: turn })));
    const stop = new AbortController();
    const lines: string[] = [];
    const code = await tail(
      { url, json: true, since: 1 },
      {
        print: (line) => {
          lines.push(line);
          if (lines.length === 2) stop.abort();
        },
        note: () => {},
        signal: stop.signal,
      },
    );
    expect(code).toBe(0);
    expect(lines.map((line) => JSON.parse(line).data.turn)).toEqual([2, 3]);
  });

  it("ends with 1 and the reason when the daemon refuses the stream", async () => {
    const { url } = await daemon();
    const notes: string[] = [];
    const code = await tail(
      { url, types: ["zone.chnged"] },
      { print: () => {}, note: (line) => notes.push(line), signal: new AbortController().signal },
    );
    expect(code).toBe(1);
    expect(notes.at(-1)).toContain("zone.chnged");
  });

  it("is a command that names its options and exit codes", () => {
    const help: string[] = [];
    const command = tailCommand().configureOutput({ writeOut: (text) => help.push(text) });
    command.outputHelp();
    for (const part of ["--url", "--types", "--session", "--since", "--json", "--token-file", "Exit codes"]) {
      expect(help.join("")).toContain(part);
    }
  });
});
