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

/** A fenced block that its own backticks do not end. */
export function fenced(text: string, language = ""): string {
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map((run) => run[0].length + 1)));
  return `${fence}${/^[\w+#-]{1,20}$/.test(language) ? language : ""}\n${text.trimEnd()}\n${fence}`;
}
