import { cell } from "./plain.ts";

/** A section; nothing where it would be empty. */
export function section(title: string, body: string): string {
  return body === "" ? "" : `## ${title}\n\n${body}`;
}

export function bullets(lines: string[]): string {
  return lines.map((line) => `- ${line}`).join("\n");
}

/** A table whose first column counts the rows; nothing without rows. */
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
