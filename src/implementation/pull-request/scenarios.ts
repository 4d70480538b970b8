import { unlinked } from "../../domain/spec-document/links.ts";
import { sectionKey } from "../../domain/spec-document/parse.ts";

export interface Scenario {
  name: string;
  /** Its steps, as written. */
  steps: string;
}

/** How many scenarios are read. */
const MOST = 200;
const READ = 250_000;
const LONGEST_STEPS = 4_000;

/** The `#### Scenario:` blocks of a spec, in order; code blocks are skipped. */
export function scenariosOf(spec: string): Scenario[] {
  const found: Scenario[] = [];
  let open: Scenario | null = null;
  for (const line of proseLines(spec)) {
    const name = /^#{4}[ \t]+Scenario:[ \t]*(\S.{0,499})/i.exec(line)?.[1];
    if (name !== undefined) {
      if (found.length === MOST) break;
      open = { name: name.trim(), steps: "" };
      found.push(open);
    } else if (/^#{1,4}[ \t]/.test(line)) open = null;
    else if (open && open.steps.length < LONGEST_STEPS) open.steps += `${line.slice(0, 1_000)}\n`;
  }
  return found;
}

/** Citation numbers, which mean nothing outside the spec: `(Gap #1)`, `, Finding #2`, `(message 3)`. */
const CITED = String.raw`(?:(?:Gap|Finding)s? #\d+|messages? #?\d+)(?:, #?\d+)*`;
const CITATIONS = new RegExp(String.raw`\s*\(${CITED}(?:[,;] ${CITED})*\)|[,;] ${CITED}(?=[,;)])`, "gi");

/** The paragraphs of a spec's Problem Statement, without lists, code and citation numbers. */
export function problemOf(spec: string): string[] {
  const paragraphs: string[] = [];
  let within = false;
  let open = false;
  for (const line of proseLines(unlinked(spec))) {
    if (/^#{1,6}[ \t]/.test(line)) {
      if (within) break;
      within = sectionKey(line.replace(/^#+\s*/, "")) === "problem";
    } else if (within) {
      const text = /^[ \t]{0,3}[-*+|>][ \t]|^\s*$/.test(line) ? "" : line.trim();
      if (text !== "" && open) paragraphs.push(`${paragraphs.pop() ?? ""} ${text}`);
      else if (text !== "") paragraphs.push(text);
      open = text !== "";
    }
    if (paragraphs.length > MOST) break;
  }
  // A colon introduces code or a list, which is left out.
  return paragraphs.map((text) => text.replaceAll(CITATIONS, "")).filter((text) => !/[:：]$/.test(text));
}

function proseLines(text: string): string[] {
  let fence = "";
  return text
    .slice(0, READ)
    .split(/\r?\n/)
    .filter((line) => {
      const mark = /^[ \t]*(`{3,}|~{3,})/.exec(line)?.[1] ?? "";
      if (fence === "") {
        fence = mark;
        return mark === "";
      }
      if (mark !== "" && mark.startsWith(fence)) fence = "";
      return false;
    });
}
