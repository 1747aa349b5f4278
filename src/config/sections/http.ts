import { z } from "zod";

/** What the transport itself says of a request. */
const OWN_HEADERS = new Set(["host", "content-length", "content-type", "transfer-encoding", "connection"]);
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/;
/** What a header may hold: visible ASCII, with spaces inside. */
export const HEADER_VALUE = /^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/;

/** A URL that paths are put behind: no user, no query. `instead`: where a user and a password belong. */
export const baseUrl = (instead: string) =>
  z
    .string()
    .max(2048)
    .superRefine((text, context) => {
      const problem = whyNoUrl(text, instead) ?? whyNoBase(text);
      if (problem !== null) context.addIssue({ code: "custom", message: problem });
    });

/** A URL that is called as it is. */
export const callUrl = (instead: string) =>
  z
    .string()
    .max(2048)
    .superRefine((text, context) => {
      const problem = whyNoUrl(text, instead);
      if (problem !== null) context.addIssue({ code: "custom", message: problem });
    });

/** Headers that go with each request. */
export const headers = () =>
  z
    .record(z.string().regex(HEADER_NAME, "must be a header's name"), z.string().max(4096).regex(HEADER_VALUE))
    .refine((given) => !Object.keys(given).some((name) => OWN_HEADERS.has(name.toLowerCase())), {
      message: `cannot hold ${[...OWN_HEADERS].join(", ")}`,
    })
    .default({});

function whyNoUrl(text: string, instead: string): string | null {
  if (!URL.canParse(text)) return "must be a URL, such as http://localhost:9093";
  const { protocol, username, password } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return "must start with http:// or https://";
  return username !== "" || password !== "" ? `must hold no user and password: use ${instead}` : null;
}

function whyNoBase(text: string): string | null {
  const { search, hash } = new URL(text);
  return search !== "" || hash !== "" ? "must end with its path, without ? and #" : null;
}
