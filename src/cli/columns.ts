import type { Estimate } from "../replay/bootstrap.ts";

/** A share to three decimals; a dash where there is none. */
export function share(value: number | null | undefined): string {
  return value === null || value === undefined ? "-" : value.toFixed(3);
}

/** A mean with its 95 % interval. */
export function withInterval(estimate: Estimate | null, signed = false): string {
  if (estimate === null) return "-";
  const text = (value: number) => `${signed && value >= 0 ? "+" : ""}${value.toFixed(3)}`;
  return `${text(estimate.mean)} [${text(estimate.low)}, ${text(estimate.high)}]`;
}

/** Rows as text, the first column to the left and the others to the right. */
export function columns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)));
  return rows.map((row) => `  ${line(row).join("  ").trimEnd()}`).join("\n");
}
