import type { IssueReading } from "../../domain/issue-text/issue-reading.ts";
import type { Translate } from "../../i18n/phrases.ts";
import { type Passage, passagesOf } from "../reproduction.ts";
import { clause } from "./plain.ts";

/** Code of the issue that the spec carries over, and how the spec refers to it. */
export interface Example extends Passage {
  name: string;
}

/** Lines for the code of the issue. */
export const MOST_CODE = 70;

/** The code that shows the issue's case, numbered where there are several pieces; none of an issue about docs. */
export function examplesIn(reading: IssueReading, say: Translate<"spec">): Example[] {
  const passages = reading.kind.kind === "docs" ? [] : passagesOf(reading, MOST_CODE);
  return passages.map((passage, at) => ({
    ...passage,
    name: passages.length > 1 ? say("example_ref", { number: at + 1 }) : say("code_here"),
  }));
}

/** What is run to see the case: not what is wanted instead, and not what comes of it. */
export function namesOfCase(examples: readonly Example[], say: Translate<"spec">): string {
  const own = examples.filter(({ shows }) => shows === "case");
  return own.length === 0 || own.length === examples.length
    ? say("code_here")
    : own.map(({ name }) => name).join(say("comma"));
}

/** The code that a request asks for; null if the issue shows none as such. */
export function namesOfWanted(examples: readonly Example[]): string | null {
  const wanted = examples.filter(({ shows }) => shows === "wish");
  return wanted.length === 0 ? null : wanted.map(({ name }) => name).join(", ");
}

/** The code that a sentence announces; null without one. */
export function announcedBy(text: string, examples: readonly Example[]): Example | null {
  const said = clause((text.split("\n")[0] ?? "").trim());
  const found = examples.find(({ lead }) => said.length > 3 && clause(lead).endsWith(said));
  return found ?? null;
}

/** Code that nobody runs: settings and data that a program reads. */
export function isConfig(examples: readonly Example[]): boolean {
  const shown = examples.filter(({ shows }) => shows === "case");
  return (
    shown.length > 0 &&
    shown.every(({ language }) => /^(?:ya?ml|toml|ini|json5?|xml|properties|conf|env|csv|tsv)$/i.test(language))
  );
}
