import { ContextdError } from "../../model/errors.ts";

const LINE = /^([A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}):[ \t]*([\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?)[ \t]*$/;
const SETTING = "telemetry.otlp.headers_file";

/** Thrown by a reader whose file cannot be read now: it may be about to be replaced. */
export class HeadersUnreadable extends Error {
  readonly code = "no_headers";
}

/**
 * Reads the headers anew each time it is called. Reads them here once: throws ContextdError `invalid_params` naming the
 * setting. Lines that are empty or begin with # are passed over.
 */
export function headersReader(
  file: string | null,
  readSecretFile: (file: string) => string,
): () => Readonly<Record<string, string>> {
  if (file === null) return () => ({});
  const read = () => {
    try {
      return parse(readSecretFile(file));
    } catch {
      return null;
    }
  };
  if (read() === null) {
    throw new ContextdError(
      "invalid_params",
      `${SETTING} names no file that can be read and holds headers, \`Name: value\` a line.`,
      { path: SETTING },
    );
  }
  return () => {
    const headers = read();
    if (headers === null) throw new HeadersUnreadable(`${SETTING} cannot be read`);
    return headers;
  };
}

/** null where a line is no header. */
function parse(text: string): Readonly<Record<string, string>> | null {
  const headers: Record<string, string> = {};
  for (const line of text.split(/\r?\n/)) {
    if (line.trim() === "" || line.startsWith("#")) continue;
    const [, name, value] = LINE.exec(line) ?? [];
    if (name === undefined || value === undefined) return null;
    headers[name.toLowerCase()] = value;
  }
  return headers;
}
