/** On every answer: the page's policy forbids all that it does not use, and no body is guessed at, framed or kept. */
export const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cache-Control": "no-store",
};

/** The same as writeHead takes it fastest: names and values in turn. */
export const SECURITY_HEADER_LIST: readonly string[] = Object.entries(SECURITY_HEADERS).flat();

/** W3C trace context, version 00 to fe, ids not all zero. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

/** The caller's trace context where it is well formed, else null: what comes from outside goes no further unchecked. */
export function traceparentOf(headers: { readonly [name: string]: string | string[] | undefined }): string | null {
  const given = headers["traceparent"];
  return typeof given === "string" && TRACEPARENT.test(given) ? given : null;
}
