/**
 * Where the page is, as the part of its address behind the `#`: a path of names, and what is chosen there. Nothing
 * secret is ever put into it.
 */

/** `#/session/a%2Fb?turn=84` as { names: ["session", "a/b"], query }. */
export function readAddress(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  return {
    names: path
      .split("/")
      .filter((name) => name !== "")
      .map(decoded),
    query: new URLSearchParams(query),
  };
}

/** The address of names and choices, as `readAddress` reads it: `null`, `undefined` and "" are left out. */
export function addressOf(names, choices = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(choices)) {
    if (value !== null && value !== undefined && value !== "") query.set(name, String(value));
  }
  const tail = query.size === 0 ? "" : `?${query}`;
  return `#/${names.map(encodeURIComponent).join("/")}${tail}`;
}

/** What a pattern such as ["session", ":id"] takes from names; null when it does not fit. */
export function match(pattern, names) {
  if (pattern.length !== names.length) return null;
  const params = {};
  for (const [i, part] of pattern.entries()) {
    if (part.startsWith(":")) params[part.slice(1)] = names[i];
    else if (part !== names[i]) return null;
  }
  return params;
}

function decoded(name) {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
