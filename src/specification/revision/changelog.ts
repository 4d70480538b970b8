import { withoutQuotations } from "../../approval/own-words.ts";
import { asksForChange, asksForNothing } from "../../approval/wishes.ts";
import { linesOf } from "../../domain/spec-document/blocks.ts";
import { citationsIn } from "../../domain/spec-document/citations.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import { phrases } from "../../i18n/phrases.ts";
import type { SpecInput } from "../generator.ts";
import { escapeRegExp } from "../../lib/text.ts";
import { phrase, plain } from "../rules/plain.ts";

const UPDATED = /^[ \t]*\**Last updated:?\**:?.*$/im;
const STATUS = /^[ \t]*\**Status:?\**:?.*$/im;

/** Whether two versions are equal apart from the date of writing and the status, which no document decides (R-SPEC-11). */
export function isSameButDate(a: string, b: string): boolean {
  return withoutDate(a) === withoutDate(b);
}

function withoutDate(markdown: string): string {
  const end = /^## /m.exec(markdown)?.index ?? markdown.length;
  return `${markdown.slice(0, end).replace(STATUS, "")}${markdown.slice(end)}`.replace(UPDATED, "");
}

/** The same apart from the Changelog too: then there is nothing to log. */
export function isSameSpec(a: string, b: string): boolean {
  return isSameButDate(withoutLog(a), withoutLog(b));
}

function withoutLog(markdown: string): string {
  const log = parseSpec(markdown).sections.find(({ key }) => key === "changelog");
  if (log === undefined) return markdown.trimEnd();
  return linesOf(markdown)
    .toSpliced(log.line - 1, log.endLine - log.line + 1)
    .join("\n")
    .trimEnd();
}

/** What people who decide have asked for since the existing version considered the thread, oldest first. */
export function requestsSince({ existing, requests }: SpecInput): SpecInput["messages"] {
  return existing === null ? [] : requests.filter(({ content }) => !asksForNothing(content));
}

/** The requests that a revision must fulfil: new ones, and those that the Changelog lists for earlier versions. */
export function requestsInForce(input: SpecInput): SpecInput["messages"] {
  if (input.existing === null) return [];
  const { citations, sections } = parseSpec(input.existing.content);
  const changelog = sections.find((section) => section.key === "changelog");
  const fulfilled = new Set(
    citations.flatMap((citation) =>
      citation.kind === "message" && changelog !== undefined && citation.line >= changelog.line
        ? [Number(citation.id)]
        : [],
    ),
  );
  const fresh = new Set(requestsSince(input).map((message) => message.seq));
  return input.messages.filter(
    (message) =>
      message.role !== "self" &&
      !message.isBot &&
      !asksForNothing(message.content) &&
      (fresh.has(message.seq) || (fulfilled.has(message.seq) && !input.goAheads.has(message.seq))),
  );
}

/** Requests that one entry names beside its own words. */
const MOST_NAMED = 8;

/**
 * The revision with an entry in its Changelog that says what changed, who asked for it, and in which message (R-SPEC-12);
 * the writer's own entry where it wrote one, with whoever it left out. `told`: what the writer says beside the document.
 */
export function logged(markdown: string, told: string, input: SpecInput): { markdown: string; changelog: string } {
  const { existing, now } = input;
  if (existing === null) return { markdown, changelog: "" };
  const before = new Set(entriesIn(existing.content).map(({ text }) => text));
  const lines = linesOf(markdown.trimEnd());
  const log = parseSpec(markdown).sections.find(({ key }) => key === "changelog");
  const end = lines.slice(0, log?.endLine).findLastIndex((line) => line.trim() !== "") + 1;
  const written = entriesIn(markdown).filter(({ text }) => !before.has(text));
  const said = written.map(({ text }) => text.replace(DATE, "")).join("; ") || told || changeOf(input);
  const unnamed = requestsSince(input)
    .filter(({ seq }) => !citesMessage(said, seq))
    .slice(-MOST_NAMED);
  const changelog = withNames(said, unnamed);
  if (written.length > 0) {
    lines[end - 1] = withNames(lines[end - 1] ?? "", unnamed);
    return { markdown: `${lines.join("\n")}\n`, changelog };
  }
  const entry = `- ${now.toISOString().slice(0, 10)}: ${changelog}`;
  const added = log === undefined ? ["", "## Changelog", "", entry] : end === log.line ? ["", entry] : [entry];
  return {
    markdown: `${lines.toSpliced(log === undefined ? lines.length : end, 0, ...added).join("\n")}\n`,
    changelog,
  };
}

/** An entry with who asked, each with the number of the message. */
function withNames(entry: string, unnamed: SpecInput["messages"]): string {
  const rest: string[] = [];
  let named = entry;
  for (const { author, seq } of unnamed) {
    const login = new RegExp(`@${escapeRegExp(author)}(?![\\w-])(?! \\()`, "i");
    if (login.test(named)) named = named.replace(login, (found) => `${found} (message ${seq})`);
    else rest.push(`@${plain(author, 60)} (message ${seq})`);
  }
  return rest.length === 0 ? named : `${named.replace(/[.\s]+$/, "")} — ${rest.join(", ")}`;
}

const DATE = /^(?:\d{4}-\d{2}-\d{2}\s*[:–—-]\s*)+/;

function entriesIn(markdown: string): { text: string }[] {
  return parseSpec(markdown).changelog.map(({ text }) => ({ text: text.replaceAll(/\s+/g, " ") }));
}

function citesMessage(text: string, seq: number): boolean {
  return citationsIn(text, 1).some((one) => one.kind === "message" && Number(one.id) === seq);
}

/** What led to a revision whose writer says nothing of it: the last request, what a yes agreed to, an edit, an answer. */
function changeOf(input: SpecInput): string {
  const say = phrases("spec", input.issue.language);
  const edited = input.textEdited ? [say("change_edited")] : [];
  const requests = requestsSince(input);
  const asked = requests.findLast(({ content }) => asksForChange(content)) ?? requests.at(-1);
  if (asked === undefined && edited[0] !== undefined) return edited[0];
  const goAhead = input.messages.findLast(({ seq }) => input.goAheads.has(seq));
  const request = asked ?? agreedTo(input, goAhead?.seq) ?? goAhead;
  if (request) {
    const text = phrase(withoutQuotations(request.content), 160);
    const slots = { login: plain(request.author, 60), seq: request.seq, text };
    return [say("change_asked", slots), ...edited].join("; ");
  }
  const since = new Date(input.existing?.ref.updated_at ?? 0);
  const settled = input.closedGaps.filter((gap) => gap.closedAt !== null && gap.closedAt > since);
  return settled.length > 0
    ? say("change_settled", { text: settled.map((gap) => `Gap #${gap.number}`).join(", ") })
    : say("change_findings");
}

/** The last statement of somebody else that this message agreed to. */
function agreedTo({ statements, messages }: SpecInput, seq: number | undefined) {
  const agreed = statements.statements.findLast(({ agreedIn }) => agreedIn !== null && agreedIn === seq);
  const message = messages.find((one) => one.seq === agreed?.message);
  return message && agreed && { ...message, content: agreed.text };
}
