// What benchmarks have in common: figures, each beside an anchor that was measured in the same run.

/** One measured figure. */
export interface Figure {
  what: string;
  /** As people read it, with its unit: `62 ms`. */
  value: string;
  /** The figure as a share of its anchor; without an anchor the figure itself, in the unit of `value`. */
  number: number;
  /** What was measured beside it, on the same machine in the same run. */
  anchor?: string;
  /** What `number` should be at most, or at least. */
  aim?: { most: number } | { least: number };
}

/** A time in milliseconds beside the time of its anchor. */
export function timeBeside(
  what: string,
  ms: number,
  anchor: { name: string; ms: number },
  aim?: Figure["aim"],
): Figure {
  const figure = { what, value: `${rounded(ms)} ms`, number: ms / anchor.ms, anchor: anchor.name };
  return aim === undefined ? figure : { ...figure, aim };
}

/** Prints a figure in a line, and hands it on. */
export function tell(figure: Figure): void {
  const { what, value, anchor } = figure;
  const beside = anchor === undefined ? "" : `${shareOf(figure)} ${anchor}`;
  const line = `${what.padEnd(58)} ${value.padStart(14)}   ${beside.padEnd(40)} ${aimOf(figure)}`;
  process.stdout.write(`${line.trimEnd()}\n`);
  handOn(figure);
}

/** Gives a figure to `npm run bench`, where that runs the benchmark. */
export function handOn(figure: Figure): void {
  process.send?.(figure);
}

/** `2.5 x` an anchor. */
export function shareOf({ number, anchor }: Figure): string {
  return anchor === undefined ? "" : `${rounded(number)} x`;
}

/** The aim in words, and whether it is missed. */
export function aimOf(figure: Figure): string {
  if (figure.aim === undefined) return "";
  const [word, bound] = "most" in figure.aim ? ["at most", figure.aim.most] : ["at least", figure.aim.least];
  return `${word} ${bound}${isBehind(figure) ? ": missed" : ""}`;
}

function isBehind({ aim, number }: Figure): boolean {
  if (aim === undefined) return false;
  return "most" in aim ? number > aim.most : number < aim.least;
}

/** Two digits, or none above ten. */
export function rounded(number: number): string {
  if (number >= 100) return number.toFixed(0);
  return number >= 10 ? number.toFixed(number >= 20 ? 0 : 1) : number.toFixed(2);
}

export function median(numbers: readonly number[]): number {
  return quantile(numbers, 0.5);
}

export function quantile(numbers: readonly number[], part: number): number {
  return numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length * part)] ?? Number.NaN;
}
