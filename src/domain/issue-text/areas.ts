import type { Section } from "./sections.ts";
import { plainText } from "./markdown.ts";

/** Marks of a kind of issue, of a release or of a person's haste, which name no part of the code. */
const NO_AREA =
  /^(?:bug(?: ?report)?|feat(?:ure)?(?: ?req(?:uest)?)?|fix|docs?|documentation|chore|perf(?:ormance)?|refactor|question|enhancement|proposal|rfc|regression|wip|help(?: wanted)?|issue|support|discussion|epic|task|tracking|breaking|security|urgent|all|none|other|n\/?a|not sure|unknown|yes|no|v?\d[\w.]*|.*(?:error|exception|warning|failed))$/i;
const BRACKETED = /^\s*(?:\[[^\]\n]{1,60}\]\s*)+/;
const COMMIT_STYLE = /^\s*(?:[a-z]{2,12}\(([^()\n]{2,40})\)!?|(@?[A-Za-z][\w@./-]{1,40}))\s*:\s/;
const LABEL =
  /^(?:a|area|c|cat|category|comp|component|crate|m|mod|module|p|pkg|package|plugin|project|scope|subsystem)(?:\s*[:/]\s*|-)(.+)$/i;
const ASKS_FOR_AREA = /\b(?:packages?|areas?|components?|modules?|plugins?|subsystems?|crates?|adapters?)\b/i;
const LONGEST_ANSWER = 120;
const MOST = 6;

/** The parts of the code that an issue itself says it is about: components, packages, modules. */
export interface Areas {
  /** In front of the title: `[Tooltip] …`, `fix(router): …`, `net/http: …`. */
  inTitle: string[];
  /** In labels (`area: router`) and in answers to a form's question for the package, area or component. */
  elsewhere: string[];
}

/** Reads the areas of an issue. The title is as people wrote it; sections are without the template's own text. */
export function areasOf(title: string, sections: readonly Section[], labels: readonly string[]): Areas {
  const inTitle = distinct([
    ...[...(BRACKETED.exec(title)?.[0] ?? "").matchAll(/\[([^\]]+)\]/g)].map((match) => match[1] ?? ""),
    ...(COMMIT_STYLE.exec(title.replace(BRACKETED, "")) ?? []).slice(1),
  ]);
  const answers = sections
    .filter((section) => ASKS_FOR_AREA.test(section.title) && section.title.length <= LONGEST_ANSWER)
    .map((section) => plainText(section.text))
    .filter((text) => text.length <= LONGEST_ANSWER);
  const labelled = labels.map((label) => LABEL.exec(label)?.[1] ?? "");
  return { inTitle, elsewhere: distinct([...labelled, ...answers]).filter((name) => !inTitle.includes(name)) };
}

/** The names in texts that list some; without those that say nothing. */
function distinct(texts: readonly (string | undefined)[]): string[] {
  const names = texts
    .flatMap((text) => text?.split(/[,;|\n]|\band\b/) ?? [])
    .map((name) => name.replaceAll(/[`*_"'()]/g, "").trim())
    .filter((name) => name.length > 1 && name.length <= 40 && name.split(/\s+/).length <= 3 && !NO_AREA.test(name));
  return [...new Set(names)].slice(0, MOST);
}
