import type { Unit } from "./units.ts";

/**
 * Gives the rows of a numbered table their older numbers, and new rows the next free ones, in the number's column and where
 * a row says what blocks it: others may cite them.
 */
export function keptNumbers(
  older: readonly Unit[],
  fresh: readonly Unit[],
  partners: ReadonlyMap<Unit, Unit>,
): (unit: Unit) => Unit {
  const header = fresh.find(({ kind, text }) => kind === "label" && /^\|?\s*(?:#|no\.?|number)\s*\|/i.test(text));
  if (header === undefined) return (unit) => unit;
  const rows = fresh.filter(({ kind }) => kind === "row");
  const used = older.flatMap((unit) => numberOf(unit) ?? []);
  let last = Math.max(0, ...used);
  const numbers = new Map<number, number>();
  const own = new Map<Unit, number>();
  for (const row of rows) {
    const partner = partners.get(row);
    const written = numberOf(row);
    const number = (partner && numberOf(partner)) ?? (last += 1);
    own.set(row, number);
    if (written !== null) numbers.set(written, number);
  }
  const blocked = cellsOf(header.text.split("\n")[0] ?? "").findIndex((cell) => /block|depend/i.test(cell));
  return (unit) => {
    const number = own.get(unit);
    if (number === undefined) return unit;
    const text = cellsOf(unit.text)
      .map((cell, index) => {
        if (index === firstOf(unit.text)) return cell.replace(/\d+/, String(number));
        if (index !== blocked) return cell;
        return cell.replaceAll(/\d+/g, (one) => String(numbers.get(Number(one)) ?? one));
      })
      .join("|");
    return { ...unit, text };
  };
}

/** The number in the first cell of a row; null without one. */
function numberOf({ kind, text }: Unit): number | null {
  const cell = kind === "row" ? (cellsOf(text)[firstOf(text)] ?? "").trim() : "";
  return /^\d{1,6}$/.test(cell) ? Number(cell) : null;
}

/** The first cell stands behind the leading bar, where there is one. */
function firstOf(text: string): number {
  return text.trimStart().startsWith("|") ? 1 : 0;
}

function cellsOf(row: string): string[] {
  return row.split(/(?<!\\)\|/);
}
