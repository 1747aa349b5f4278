/** A repeated option, whose values may also stand in one, comma-separated. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, ...value.split(",").filter((item) => item !== "")];
}
