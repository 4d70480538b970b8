import { foundByGrammar } from "./by-grammar.ts";
import { foundByLines } from "./by-lines.ts";
import type { Found } from "./found.ts";
import { languageOf } from "./languages/languages.ts";
import { headingsOf } from "./markdown.ts";
import { markupOf } from "./markup.ts";
import { createdBy } from "./sql.ts";
import { rulesOf } from "./stylesheet.ts";

/** What a text of a language defines, read by what knows that language best. */
export async function foundIn(path: string, language: string, text: string): Promise<Found[]> {
  switch (language) {
    case "markdown":
      return headingsOf(text);
    case "sql":
      return createdBy(text);
    case "html":
    case "vue":
    case "svelte":
    case "astro":
      return foundInMarkup(language, text);
    case "css":
      return /\.css$/i.test(path) ? foundInCode(path, language, text) : rulesOf(text);
    default:
      return foundInCode(path, language, text);
  }
}

async function foundInCode(path: string, language: string, text: string): Promise<Found[]> {
  const grammar = languageOf(path, language);
  return (grammar && (await foundByGrammar(grammar, text))) ?? foundByLines(language, text);
}

async function foundInMarkup(language: string, text: string): Promise<Found[]> {
  const { scripts, elements } = markupOf(language, text);
  const found = [...elements];
  for (const script of scripts) {
    for (const one of await foundInCode("", script.language, script.text)) {
      found.push({ ...one, from: one.from + script.from, to: one.to + script.from });
    }
  }
  return found;
}
