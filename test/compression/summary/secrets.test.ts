import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { maskSecrets } from "../../../src/compression/summary/secrets.ts";

const KEY = "abcdefghijklmnopqrstuvwxyz0123456789ABCD";

describe("masking secrets", () => {
  it.each([
    ["aws AKIAIOSFODNN7EXAMPLE.", "aws [masked]."],
    [`token ghp_${KEY}`, "token [masked]"],
    [`github_pat_${KEY}`, "[masked]"],
    [`sk-ant-api03-${KEY}`, "[masked]"],
    [`OPENAI_API_KEY=sk-proj-${KEY}`, "OPENAI_API_KEY=[masked]"],
    ["xoxb-123456789012-abcdefghij", "[masked]"],
    [`sk_live_${KEY}`, "[masked]"],
    [`AIza${KEY.slice(0, 35)}`, "[masked]"],
    [`glpat-${KEY.slice(0, 20)}`, "[masked]"],
    ["Authorization: Bearer abcDEF123456ghiJKL789", "Authorization: Bearer [masked]"],
    ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N", "[masked]"],
    ["postgres://app:s3cr3t@db.example:5432/x", "postgres://app:[masked]@db.example:5432/x"],
    ["password=hunter2", "password=[masked]"],
    ['"password": "correct-horse"', '"password": "[masked]"'],
    ["PGPASSWORD=swordfish psql", "PGPASSWORD=[masked] psql"],
    ["Server=x;Password=swordfish;Database=y", "Server=x;Password=[masked];Database=y"],
    ['client_secret: "Zk3Lq8Vn2Xw7Rt5Y"', 'client_secret: "[masked]"'],
    ['{\\"api_key\\": \\"Zk3Lq8Vn2Xw7Rt5Y\\"}', '{\\"api_key\\": \\"[masked]\\"}'],
    ["-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY----- after", "[masked] after"],
    ["-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1r", "[masked]"],
  ])("masks what is one in %j", (text, masked) => {
    expect(maskSecrets(text)).toBe(masked);
  });

  it.each([
    "commit 3f2504e04f8911d39a0c0305e82c3301deadbeef",
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
    "/usr/local/lib/python3.12/site-packages/secret/token.py",
    "total_tokens: 123456789012",
    "max_token=4096",
    "password: str = Field(...)",
    "def login(user, password=None):",
    "login(user, password=user.password)",
    "token = self.tokens[index]",
    "api_key = os.environ['API_KEY_OF_SERVICE']",
    "password=$DB_PASSWORD",
    'label: "Password: please enter your password"',
    "token_path=/etc/service/token-2024-01-02.txt",
    "https://example.com:8080/path@v1",
    "the secret is that it works",
    "the bearer authentication_scheme is used",
    "id 550e8400-e29b-41d4-a716-446655440000",
  ])("leaves %j as it is", (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  it("is the same done twice, on any text", () => {
    const pieces = fc.constantFrom(
      "password",
      "=",
      ": ",
      '"',
      "hunter2x",
      "[masked]",
      "Bearer ",
      KEY,
      "://a:b@c",
      "\n",
      "token",
      "-----BEGIN PRIVATE KEY-----",
      "eyJ",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(pieces, fc.string()), { maxLength: 12 }), (parts) => {
        const once = maskSecrets(parts.join(""));
        expect(maskSecrets(once)).toBe(once);
      }),
    );
  });
});
