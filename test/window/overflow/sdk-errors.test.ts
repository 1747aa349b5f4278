import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { isJsonObject, type Json } from "../../../src/model/json.ts";
import { classifyRefusal } from "../../../src/window/overflow/index.ts";
import { recordedRefusals } from "../../support/refusals.ts";

/** Bodies as providers send them: each recorded refusal that is one. */
const bodies = recordedRefusals.flatMap(({ name, error, expected }) => {
  const said = isJsonObject(error) ? error["error"] : undefined;
  if (!isJsonObject(said)) return [];
  const status = typeof said["code"] === "number" ? said["code"] : 400;
  return [{ name, status, body: error, message: String(said["message"]), expected }];
});

let server: Server;
let answer: { readonly status: number; readonly type: string; readonly body: string };
let baseURL: string;

beforeAll(async () => {
  server = createServer((request, response) => {
    request.resume().on("end", () => {
      response.writeHead(answer.status, { "content-type": answer.type }).end(answer.body);
    });
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});

afterAll(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const MESSAGES = [{ role: "user", content: "prompt is too long: 5 tokens > 3 maximum" }] as const;

const clients = {
  openai: () =>
    new OpenAI({ baseURL, apiKey: "test", maxRetries: 0 }).chat.completions.create({
      model: "m",
      messages: [...MESSAGES],
    }),
  openai_stream: () =>
    new OpenAI({ baseURL, apiKey: "test", maxRetries: 0 }).chat.completions.create({
      model: "m",
      messages: [...MESSAGES],
      stream: true,
    }),
  anthropic: () =>
    new Anthropic({ baseURL, apiKey: "test", maxRetries: 0 }).messages.create({
      model: "m",
      max_tokens: 5,
      messages: [...MESSAGES],
    }),
} as const;

async function refused(call: () => Promise<unknown>): Promise<Error & { readonly error?: unknown }> {
  return call().then(
    () => expect.unreachable("the call was refused"),
    (error: Error) => error,
  );
}

/** What agents have in their hands when a call fails, and would report. */
const serialisations: Readonly<Record<string, (error: Error & { readonly error?: unknown }) => Json>> = {
  "the error as JSON": (error) => JSON.parse(JSON.stringify(error)) as Json,
  "its message": (error) => error.message,
  "its text": (error) => String(error),
  "its stack": (error) => error.stack ?? "",
  "name, message and stack": ({ name, message, stack }) => ({ name, message, stack: stack ?? "" }),
};

describe.each(Object.keys(clients) as (keyof typeof clients)[])("an error of the client of %s", (client) => {
  it.each(Object.keys(serialisations))("is understood by %s", async (form) => {
    for (const { name, status, body, message, expected } of bodies) {
      answer = { status, type: "application/json", body: JSON.stringify(body) };
      const told = classifyRefusal(serialisations[form]?.(await refused(clients[client])));
      const { kind, inputTokens, outputTokens, limit } = expected;
      // OpenAI's client makes its message of the body's message alone, without what stands beside that.
      const beside = limit !== null && !message.includes(String(limit));
      if (beside && client !== "anthropic" && form !== "the error as JSON") continue;
      expect(told, name).toMatchObject({ kind, inputTokens, outputTokens, limit });
    }
  });

  it("is understood by the body that it keeps", async () => {
    expect(bodies.length).toBeGreaterThan(12);
    for (const { name, status, body, expected } of bodies) {
      answer = { status, type: "application/json", body: JSON.stringify(body) };
      const { error } = await refused(clients[client]);
      expect(classifyRefusal(error as Json).limit, name).toBe(expected.limit);
    }
  });

  it("of a proxy that answers a page is a matter of bytes", async () => {
    const page =
      "<html>\r\n<head><title>413 Request Entity Too Large</title></head>\r\n<body>nginx</body>\r\n</html>\r\n";
    answer = { status: 413, type: "text/html", body: page };
    const error = await refused(clients[client]);
    for (const form of Object.values(serialisations)) expect(classifyRefusal(form(error)).kind).toBe("request_size");
  });

  it("of a server that answers nothing with 413 is a matter of bytes, with 400 unknown", async () => {
    answer = { status: 413, type: "text/plain", body: "" };
    expect(classifyRefusal((await refused(clients[client])).message).kind).toBe("request_size");
    answer = { status: 400, type: "text/plain", body: "" };
    expect(classifyRefusal((await refused(clients[client])).message).kind).toBe("unknown");
  });
});
