import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskSecrets } from "../../../src/compression/summary/secrets.ts";
import type { JsonObject } from "../../../src/model/json.ts";
import { environmentChecks } from "../../../src/window/bootstrap/index.ts";

const SHA256 = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae";
const SHA1 = "8618c6a1d24d0c4e6ee0a4b0ca3c7b9e4b7a1f22";
const MD5 = "b1946ac92492d2347c6235b4d2611184";

const checksOf = (environment: JsonObject, focus?: string) =>
  environmentChecks(environment, { mask: maskSecrets, ...(focus === undefined ? {} : { focus }) });
/** Key, what is asked, what is expected. */
const told = (environment: JsonObject) =>
  checksOf(environment).map(({ key, ask, expected }) => `${key} | ${ask} | ${expected}`);

describe("the checks of an environment", () => {
  it("are concrete where the meaning of a key is known", () => {
    expect(
      told({
        cwd: "/testbed",
        repository: "git@example.org:django/django.git",
        repo: "/testbed",
        branch: "ticket_30191",
        commit: SHA1,
        dirty: false,
        python: "3.8.18",
        node_version: "20.11.1",
        go: "1.22",
      }),
    ).toEqual([
      "cwd | Run `pwd`. | /testbed",
      "repository | Run `git remote -v`. | git@example.org:django/django.git",
      "repo | Run `git rev-parse --show-toplevel`. | /testbed",
      "branch | Run `git branch --show-current`. | ticket_30191",
      "commit | Run `git rev-parse HEAD`. | 8618c6a1d24d… (12 of 40 digits)",
      "dirty | Run `git status --short`. | false",
      "python | Run `python --version`. | 3.8.18",
      "node_version | Run `node --version`. | 20.11.1",
      "go | Run `go version`. | 1.22",
    ]);
  });

  it("read groups member by member, under the keys that drift has", () => {
    expect(told({ git: { branch: "main", sha: "8618c6a" }, tools: { npm: "10.2.4", bazel: "7" } })).toEqual([
      "git/branch | Run `git branch --show-current`. | main",
      "git/sha | Run `git rev-parse HEAD`. | 8618c6a",
      "tools/npm | Run `npm --version`. | 10.2.4",
      "tools/bazel | Check that this still holds. | 7",
    ]);
  });

  it("tell the hash of a file by its length or its name", () => {
    const files = {
      "a.py": SHA256,
      "b.py": SHA1,
      "c.py": MD5,
      "d.py": `sha1:${SHA1}`,
      "e.py": "2c26b46b",
      "f.py": "last edited by hand",
      "g.py": `git:${SHA1}`,
    };
    expect(told({ files })).toEqual([
      "files/a.py | Run `sha256sum a.py`. | 2c26b46b68ff… (12 of 64 digits)",
      "files/b.py | Run `git hash-object b.py` or `sha1sum b.py`. | 8618c6a1d24d… (12 of 40 digits)",
      "files/c.py | Run `md5sum c.py`. | b1946ac92492… (12 of 32 digits)",
      "files/d.py | Run `sha1sum d.py`. | 8618c6a1d24d… (12 of 40 digits)",
      "files/e.py | Compare the beginning of `git hash-object e.py` or `sha256sum e.py`. | 2c26b46b",
      "files/f.py | Look whether the file is as it was noted. | last edited by hand",
      "files/g.py | Run `git hash-object g.py`. | 8618c6a1d24d… (12 of 40 digits)",
    ]);
  });

  it("name the files that the work in hand speaks of first, and count those that have no place", () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, at) => [`src/f${at}.ts`, MD5]));
    const checks = checksOf({ files }, "Mend f17.ts, then look at src/f4.ts.");
    expect(checks.map(({ key }) => key)).toEqual([
      "files/src/f4.ts",
      "files/src/f17.ts",
      ...[0, 1, 2, 3, 5, 6].map((at) => `files/src/f${at}.ts`),
      "files",
    ]);
    expect(checks.at(-1)?.ask).toBe("Check 22 more files before you rely on them.");
  });

  it("look for services by port, address or name, and for variables by name alone", () => {
    expect(
      told({
        services: { postgres: 5432, api: "http://localhost:8000/health", worker: "celery" },
        ports: [8080, "9090"],
        env: { API_TOKEN: "f00-very-secret-indeed", TZ: "UTC" },
        env_names: ["HOME", "PASSWORD=hunter2"],
      }),
    ).toEqual([
      "services/postgres | Check that something listens on this port (`ss -ltn`). | 5432",
      "services/api | Check that it answers. | http://localhost:8000/health",
      "services/worker | Check that it runs. | celery",
      "ports | Check that something listens on each port (`ss -ltn`). | 8080, 9090",
      "env | Check that each of these variables is set (`printenv`). | API_TOKEN, TZ",
      "env_names | Check that each of these variables is set (`printenv`). | HOME, PASSWORD",
    ]);
  });

  it("are general for keys of the agent's own", () => {
    expect(checksOf({ test_command: "npm test", database: { name: "shop", rows: 12 } })).toEqual([
      { key: "test_command", expected: "npm test", ask: "Check that this still holds.", isKnown: false },
      { key: "database", expected: '{"name":"shop","rows":12}', ask: "Check that this still holds.", isKnown: false },
    ]);
  });

  it("ask to look around where nothing was told, and ask nothing of what is null or empty", () => {
    for (const environment of [{}, { files: {}, services: [], env: {}, git: { branch: null } }]) {
      expect(checksOf(environment)).toEqual([expect.objectContaining({ key: "cwd", expected: null })]);
    }
    expect(checksOf({})[0]?.ask).toContain("`git status`");
  });

  it("mask secrets before they cut, by their shape and by their key", () => {
    const key = `sk-${"a1B2c3D4".repeat(5)}`;
    const environment = {
      database_url: "postgres://app:hunter2secret@db/app",
      long: `${"x".repeat(100)} ${key}`,
      api_key: "9f86d081884c7d659a2feaa0c55ad015",
      nested: { password: "correct-horse-7" },
      remote: "https://bot:hunter2secret@example.org/a.git",
      list: [`Bearer ${key}`],
      files: { [`tokens/${key}`]: MD5 },
    };
    const all = told(environment).join("\n");
    for (const secret of ["hunter2", "sk-a1B2", "9f86d0", "correct-horse"]) {
      // The key of a check is the agent's, as it told it; the text of the bootstrap masks it.
      expect(all.replaceAll(`files/tokens/${key} |`, "")).not.toContain(secret);
    }
  });

  it("say of what they cut that it is cut", () => {
    const [check] = checksOf({ note: `${"a".repeat(119)}😀${"b".repeat(50)}` });
    expect(check?.expected).toBe(`${"a".repeat(119)}… (cut: 171 characters in all)`);
    const [list] = checksOf({ packages: Array.from({ length: 20 }, (_, at) => `p${at}`) });
    expect(list?.expected).toBe("p0, p1, p2, p3, p4, p5, p6, p7 and 12 more");
  });

  it("never give a command that runs more than it says", () => {
    const asks = (path: string) => checksOf({ files: { [path]: MD5 } })[0]?.ask;
    expect(asks("a b.py")).toBe("Run `md5sum 'a b.py'`.");
    expect(asks("$(reboot);x")).toBe("Run `md5sum '$(reboot);x'`.");
    expect(asks("~/a.py")).toBe("Run `md5sum ~/a.py`.");
    expect(asks("-rf")).toBe("Run `md5sum './-rf'`.");
    for (const path of ["a'; reboot; '", "a`reboot`", "a\nreboot", "", `${"deep/".repeat(60)}a`]) {
      expect(asks(path)).toBe("Compare the file's hash.");
    }
  });

  it("hold one line each, whatever is told", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue()), (told) => {
        const environment = JSON.parse(JSON.stringify(told)) as JsonObject;
        for (const { ask, expected } of checksOf(environment)) {
          expect(ask).not.toMatch(/[\n\r\u2028\u2029\x85]/);
          expect(expected ?? "").not.toMatch(/[\n\r\u2028\u2029\x85]/);
        }
      }),
    );
  });
});
