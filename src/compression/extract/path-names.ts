/** Names of a marker's detail beyond these are left out. */
const MOST_NAMES = 4;
const LONGEST_NAME = 60;

/** `a 12, b 3, 5 more`: counts by name, the greatest first. Names that are long are left out, with their counts. */
export function namedCounts(names: Iterable<string>, most = MOST_NAMES): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  const ranked = [...counts].sort(([a, countA], [b, countB]) => countB - countA || (a < b ? -1 : 1));
  const named = ranked.filter(([name]) => name.length <= LONGEST_NAME).slice(0, most);
  const rest = ranked.length - named.length;
  const words = named.map(([name, count]) => `${name} ${count}`);
  return [...words, ...(rest > 0 ? [`${rest} more`] : [])].join(", ");
}

/** The folder of a path, without a slash at its end; "" for a bare name. */
export function folderOf(path: string): string {
  const slash = path.lastIndexOf("/", path.length - 2);
  return slash <= 0 ? "" : path.slice(0, slash);
}

/** `.ts` of `src/a.test.ts`; "" for names without one, and for hidden files. */
export function extensionOf(path: string): string {
  return /[^/.](\.[A-Za-z0-9]{1,8})$/.exec(path)?.[1] ?? "";
}
