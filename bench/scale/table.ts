import type { Figure } from "../figures.ts";
import type { Cost } from "./costs.ts";

/** Costs by size, as a table with the ratios of the sizes; those of times are against the anchor of the same size. */
export function tableOf(bySize: ReadonlyMap<string, readonly Cost[]>): string {
  const sizes = [...bySize.keys()];
  const [first = []] = bySize.values();
  const anchors = sizes.map((size) => valueOf(bySize, size, isAnchor));
  const rows = first.map(({ what, kind, unit }) => {
    const values = sizes.map((size) => valueOf(bySize, size, (cost) => cost.what === what));
    const isTime = kind === "ms" && !what.startsWith("anchor");
    const compared = values.map((value, n) => (isTime ? value / (anchors[n] ?? 1) : value));
    const ratios = compared.map((value) => short(value / (compared[0] ?? 1)));
    return [what, unit, ...values.map(short), sizes.length > 1 ? ratios.join(" : ") : ""];
  });
  const lines = [["what", "unit", ...sizes, sizes.length > 1 ? sizes.join(" : ") : ""], ...rows];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map(
      (line) =>
        `| ${line.map((cell, n) => (n < 2 ? cell.padEnd(widths[n] ?? 0) : cell.padStart(widths[n] ?? 0))).join(" | ")} |`,
    )
    .toSpliced(1, 0, `|${widths.map((width) => "-".repeat(width + 2)).join("|")}|`)
    .join("\n");
}

function valueOf(bySize: ReadonlyMap<string, readonly Cost[]>, size: string, is: (cost: Cost) => boolean): number {
  return bySize.get(size)?.find(is)?.value ?? Number.NaN;
}

function isAnchor({ what }: Cost): boolean {
  return what.startsWith("anchor");
}

/** How each cost grows from the first size to the last: times as shares of the anchor of their size. */
export function growthOf(bySize: ReadonlyMap<string, readonly Cost[]>): Figure[] {
  const [from = "", to = ""] = [[...bySize.keys()].at(0), [...bySize.keys()].at(-1)];
  if (from === to) return [];
  return (bySize.get(to) ?? [])
    .filter((cost) => !isAnchor(cost))
    .map(({ what, kind, unit, value }) => {
      const first = valueOf(bySize, from, (cost) => cost.what === what);
      const faster = kind === "ms" ? valueOf(bySize, from, isAnchor) / valueOf(bySize, to, isAnchor) : 1;
      const number = first === value ? 1 : (value / first) * faster;
      return { what: `${what}, size ${to}`, value: `${short(value)} ${unit}`.trim(), number, anchor: `size ${from}` };
    });
}

/** Three figures say enough. */
function short(value: number): string {
  if (!Number.isFinite(value)) return "-";
  if (Math.abs(value) >= 1_000_000) return `${(value / 1_000_000).toPrecision(3)} M`;
  if (Math.abs(value) >= 100) return value.toFixed(0);
  return String(Number(value.toPrecision(2)));
}
