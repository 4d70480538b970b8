import { cell } from "./plain.ts";

/** A section; empty if its body is empty. */
export function section(title: string, body: string): string {
  return body === "" ? "" : `## ${title}\n\n${body}`;
}

export function bullets(lines: string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

/** A table whose first column numbers the rows; empty without rows. */
export function numberedTable(header: string[], rows: string[][]): string {
  if (rows.length === 0) return "";
  const numbered = rows.map((row, index) => [String(index + 1), ...row]);
  return [tableLine(["#", ...header]), tableLine(["#", ...header].map(() => "---")), ...numbered.map(tableLine)].join(
    "\n",
  );
}

function tableLine(cells: string[]): string {
  return `| ${cells.map((text) => (text === "" ? "-" : cell(text))).join(" | ")} |`;
}
