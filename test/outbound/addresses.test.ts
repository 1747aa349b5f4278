import { describe, expect, test } from "vitest";
import { type Address, isDenied, staysHere } from "../../src/outbound/addresses.ts";
import { clientOf, failureOf, PROMPT } from "../llm/client-of.ts";
import { ScriptedLlm } from "../support/scripted-llm.ts";

test.each([
  ["169.254.169.254", true],
  ["169.254.0.1", true],
  ["::ffff:169.254.169.254", true],
  ["64:ff9b::a9fe:a9fe", true],
  ["fe80::1", true],
  ["fe80::1%eth0", true],
  ["febf::1", true],
  ["fd00:ec2::254", true],
  ["fd00:ec2::253", false],
  ["fec0::1", false],
  ["127.0.0.1", false],
  ["10.0.0.1", false],
  ["169.253.255.255", false],
  ["a.example", false],
])("%s is link-local: %s", (address, denied) => {
  expect(isDenied(address)).toBe(denied);
});

test.each([
  ["localhost", true],
  ["127.0.0.1", true],
  ["[::1]", true],
  ["10.0.0.1", false],
  ["localhost.example", false],
])("what is sent to %s stays on this machine: %s", (host, stays) => {
  expect(staysHere(host)).toBe(stays);
});

describe("a call", () => {
  const resolvingTo = (...addresses: string[]) => ({
    lookup: async (): Promise<Address[]> =>
      addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 })),
  });

  test.each([
    "http://169.254.169.254/v1",
    "http://2852039166/v1",
    "http://[::ffff:169.254.169.254]/v1",
    "http://[fe80::1]/v1",
  ])("to %s is not made", async (baseUrl) => {
    const { client } = clientOf({ url: baseUrl, openaiUrl: baseUrl }, "openai-chat");
    expect((await failureOf(client.complete(PROMPT))).reason).toBe("denied_address");
  });

  test("to a name with any link-local address is not made", async () => {
    await using llm = await ScriptedLlm.start(() => "x");
    const port = new URL(llm.url).port;
    const named = { url: `http://metadata.example:${port}`, openaiUrl: `http://metadata.example:${port}/v1` };
    const denied = clientOf(named, "openai-chat", {}, resolvingTo("127.0.0.1", "169.254.169.254"));
    expect((await failureOf(denied.client.complete(PROMPT))).reason).toBe("denied_address");
    expect(llm.requests).toHaveLength(0);
    const allowed = clientOf(named, "openai-chat", {}, resolvingTo("127.0.0.1"));
    expect((await allowed.client.complete(PROMPT)).text).toBe("x");
  });

  test("to a name without an address fails as a connection", async () => {
    const named = { url: "http://nowhere.example", openaiUrl: "http://nowhere.example/v1" };
    const { client } = clientOf(named, "openai-chat", {}, resolvingTo());
    expect((await failureOf(client.complete(PROMPT))).reason).toBe("connection");
  });

  test("does not follow a redirect, wherever it leads", async () => {
    await using target = await ScriptedLlm.start(() => "stolen");
    const to = `${target.openaiUrl}/chat/completions`;
    await using llm = await ScriptedLlm.start(() => ({ fault: "redirect", to }));
    expect((await failureOf(clientOf(llm, "openai-chat").client.complete(PROMPT))).reason).toBe("redirect");
    expect(target.paths).toEqual([]);
  });
});
