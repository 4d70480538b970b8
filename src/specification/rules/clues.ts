import { EXPECTS, SHOULD } from "../../domain/issue-text/aspect-words.ts";
import { FAULT } from "../../domain/issue-text/kind.ts";
import type { IssueReading } from "../../domain/issue-text/issue-reading.ts";
import { isQuestion } from "../../domain/issue-text/sentences.ts";
import { escapeRegExp } from "../../lib/text.ts";
import { WORKS } from "./bounds.ts";
import type { Heard } from "./heard.ts";
import { clause } from "./plain.ts";

const EXAMPLE_ONLY =
  /^(?:for example|for instance|e\.g|zum Beispiel|z\. ?B|например|por ejemplo|par exemple|por exemplo|例如|例えば)/iu;
/** Nothing but an example of what is missing. */
export function isExampleOnly(text: string): boolean {
  return EXAMPLE_ONLY.test(text);
}

/** An English sentence has one of these; `The output of its command` has none. */
const VERB =
  /\b(?:is|are|was|were|be|been|am|has|have|had|do|does|did|can|could|will|would|should|must|may|might|get|give|show|fail|return|throw|print|see|happen|\p{L}{3,}(?:s|ed))\b|n['’]t\b/iu;

/** A phrase that names a place or thing and says nothing of it. */
export function isFragment(text: string): boolean {
  const prose = text.replaceAll(/`[^`]*`|\b(?:its|this|thus|as|us)\b/giu, " ");
  return /^(?:in |on |at |the |a |an )/i.test(text) && text.length < 90 && !FAULT.test(text) && !VERB.test(prose);
}

/** The name of code that stands first in the title; null without one. */
export function wantedOf({ title, facts, text }: IssueReading): string | null {
  const spans = [...title.matchAll(/`([^`\n]{2,60})`/g)].map((match) => match[1] ?? "");
  // `inherited-members` is a name where the text writes `:inherited-members:`, `--inherited-members` or as code.
  const dashed = (title.match(/(?<![\w-])[a-z]+(?:-[a-z]+)+(?![\w-])/g) ?? []).filter((name) =>
    new RegExp(`(?::|--|\`)${escapeRegExp(name)}(?![\\w-])`).test(text),
  );
  const named = [...spans, ...dashed, ...facts.symbols, ...facts.configKeys]
    .filter((name) => /^[^\s`]{2,60}$/.test(name))
    .map((name) => ({ name, at: title.search(new RegExp(`(?<![\\w-])${escapeRegExp(name)}(?![\\w-])`)) }))
    .filter(({ at }) => at >= 0);
  return named.toSorted((one, other) => one.at - other.at)[0]?.name ?? null;
}

/** Announces code of several lines, or links, and says nothing without them. */
export function isAnnouncement(text: string): boolean {
  const [first = "", ...rest] = text.trim().split("\n");
  const isOpen = /[:：]$/.test(first.trim()) && rest.filter((line) => line.trim() !== "").length > 1;
  const words = text.replaceAll(/https?:\/\/\S+/g, " ").match(/[\p{L}\p{N}]+/gu)?.length ?? 0;
  return isOpen || (text.includes("://") && words < SAYS_SOMETHING);
}

/** “An API like https://…”: the page it points at says what is wanted. */
export function pointsAt(text: string): boolean {
  return text.includes("://") && (text.replaceAll(/https?:\/\/\S+/g, " ").match(/[\p{L}\p{N}]+/gu)?.length ?? 0) > 1;
}

const SAYS_SOMETHING = 5;
const POINTS_BACK = /^(?:this|that|these|those|it|they|это|dies(?:es|e)?|das|esto|eso|cela|ceci|ça|isso|isto)\b/iu;

/** A sentence that points back, with the one that it points at. */
export function withAntecedent(text: string, sentences: readonly string[]): string {
  if (!POINTS_BACK.test(text)) return text;
  const start = text.slice(0, 40);
  const before = sentences[sentences.findIndex((one) => one.startsWith(start)) - 1];
  const isWhole = before !== undefined && /[.!。！][)"'”*_]*$/.test(before) && !/^(?:which|that)\b/i.test(before);
  return isWhole ? `${before.replaceAll(/\*\*|__/g, "")} ${text}` : text;
}

const GOES_ON =
  /^(?:both|this|these|they|it|also|so|as a result|this|это|оба|beide|dies|esto|ambos|cela|les deux|isso) /iu;

/** A sentence with the next one, where that goes on telling of the fault. */
export function withSequel(text: string, sentences: readonly string[]): string {
  const at = sentences.findIndex((one) => text.endsWith(clause(one)) || one === text);
  const next = at === -1 ? undefined : sentences[at + 1];
  const tells =
    next !== undefined && GOES_ON.test(next) && !/[?？:：]$/.test(next) && !EXPECTS.test(next) && !SHOULD.test(next);
  return tells && !WORKS.test(next) ? `${clause(text)}. ${next}` : text;
}

/** An address that people wrote, not one that their code puts together. */
export function linkIn(text: string): string | null {
  const link = /https?:\/\/[\w.~:/?#@!$&'()*+,;=%-]{4,300}/.exec(text)?.[0].replace(/[).,;:]+$/, "") ?? null;
  return link?.endsWith("$") === true || text.includes(`${link}{`) ? null : link;
}

/** What was only asked is no outcome, whoever took it up: it was said. “Could you …?” asks for something. */
export function withoutQuestions(heard: Heard): Heard {
  const [asked, wishes] = [true, false].map((isAsked) =>
    heard.wishes.filter(
      ({ text, message }) => (message !== null && isQuestion(text) && !ASKS_FOR.test(text)) === isAsked,
    ),
  );
  return { ...heard, wishes: wishes ?? [], facts: [...heard.facts, ...(asked ?? [])] };
}

const ASKS_FOR =
  /^(?:[^?]{0,40}, )?(?:please|(?:could|can|would|will) (?:you|we|somebody|someone)|kann(?:st|n)? (?:du|ihr|man|jemand)|könnt(?:e|en|est)? (?:du|ihr|wir|sie|man)|puedes|podr[íi]as?|podemos|(?:peux|pourrais)-tu|(?:pouvez|pourriez)-vous|(?:você )?pode(?:ria)?|можно ли|можете|能否|能不能|可以)(?!\p{L})/iu;
