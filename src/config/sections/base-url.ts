import { z } from "zod";

/**
 * The address of something that the daemon calls: http or https, with no user, password, query or fragment in it.
 * `example` is a right one; `instead` names the keys that credentials belong in.
 */
export const baseUrl = ({ example, instead }: { readonly example: string; readonly instead: string }) =>
  z
    .string()
    .max(2048)
    .superRefine((text, context) => {
      const problem = whyNoBaseUrl(text, example, instead);
      if (problem !== null) context.addIssue({ code: "custom", message: problem });
    });

function whyNoBaseUrl(text: string, example: string, instead: string): string | null {
  if (!URL.canParse(text)) return `must be a URL, such as ${example}`;
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") return "must start with http:// or https://";
  if (username !== "" || password !== "") return `must hold no user and password: use ${instead}`;
  return search !== "" || hash !== "" ? "must end with its path, without ? and #" : null;
}
