import { codeSpan, oneLine } from "../lib/text.ts";
import { locationOf } from "../domain/spec-document/citations.ts";
import { withoutEvidence } from "../domain/spec-document/evidence-section.ts";
import { type AddressOf, linked, linksIn } from "../domain/spec-document/links.ts";
import { linesOf } from "../domain/spec-document/blocks.ts";
import type { Citation } from "../domain/spec-document/document.ts";
import { parseSpec } from "../domain/spec-document/parse.ts";
import { keptText } from "../domain/text/clean-text.ts";
import { link } from "../domain/text/comment-markdown.ts";
import type { ConversationMessage } from "../domain/conversation.ts";
import type { Finding, RemovedFinding } from "../domain/finding.ts";
import { type Gap, isAgreedTo } from "../domain/gap.ts";
import { openFence } from "../lib/markdown-offsets.ts";
import { type Translate, phrases } from "../i18n/phrases.ts";
import { readLocation } from "../code/agent/source-lookup.ts";
import { removalOf } from "./removal.ts";
import { clause, plain } from "./rules/plain.ts";

/** What a spec may cite, as it is on record. */
export interface Sources {
  gaps: readonly Gap[];
  findings: readonly Finding[];
  removed: readonly RemovedFinding[];
  messages: readonly ConversationMessage[];
  language: string;
  /** The commit of the places in the text. */
  commit: string;
  /** Addresses of lines of the code and of comments; null where there are none. */
  addresses: {
    lines: (commit: string, place: { path: string; start: number; end: number }) => string | null;
    message: (externalId: string) => string | null;
  };
}

type Numbered = Exclude<Citation, { kind: "file" }>;

/** Characters of each text and of the whole section, and places of a finding. */
const MOST = { text: 600, question: 300, section: 40_000, places: 8 };
/** What every store takes. */
const LIMIT = { characters: 200_000, bytes: 200 * 1024 };

/**
 * The document with its evidence (R-SPEC-17): each cited place, finding, gap and message becomes a link where it has an
 * address, and the last section, Evidence, holds what the cited findings, gaps and messages say. Written by rules from
 * what is on record, never by a model: an Evidence section in the text is replaced. The same input gives the same
 * text. `before` is the stored version: a place keeps its address while only lines cite it that stood there already.
 */
export function withEvidence(markdown: string, sources: Sources, before: string | null): string {
  const written = withoutEvidence(markdown);
  const fence = openFence(written);
  const bare = fence === null ? written : `${written.trimEnd()}\n${fence}\n`;
  const evidence = evidenceOf(bare, sources);
  const body = linked(bare.trimEnd(), addressesFor(bare, sources, before));
  const whole = [body.text, evidence, body.addresses];
  return [whole, [bare.trimEnd(), evidence]].map(joined).find(fits) ?? bare;
}

function joined(parts: readonly string[]): string {
  return `${parts.filter((part) => part !== "").join("\n\n")}\n`;
}

function fits(text: string): boolean {
  return text.length <= LIMIT.characters && Buffer.byteLength(text) <= LIMIT.bytes;
}

function addressesFor(bare: string, { messages, commit, addresses }: Sources, before: string | null): AddressOf {
  const old = before === null ? new Map<string, string>() : linksIn(before);
  const stood = new Set(before === null ? [] : linesOf(withoutEvidence(before)));
  const lines = linesOf(bare);
  const stays = (label: string) => lines.every((line) => !line.includes(label) || stood.has(line));
  // A number leads to its heading in the document, where documents are opened in a browser.
  const isHosted = [addresses.message("0"), addresses.lines(commit, { path: "a", start: 1, end: 1 })].some(Boolean);
  return (cited) => {
    if (cited.kind === "message") {
      const message = messageOf(cited.id, messages);
      return message === null ? null : addresses.message(message.externalId);
    }
    if (cited.kind !== "file") return isHosted ? `#${cited.kind}-${cited.id}` : null;
    const label = codeSpan(locationOf(cited));
    const known = old.get(label);
    return known !== undefined && stays(label) ? known : addresses.lines(commit, cited);
  };
}

/** The section; it stands also where nothing is cited by a number, so that a number added later is refused. */
function evidenceOf(bare: string, sources: Sources): string {
  const cited = parseSpec(bare).citations.filter((one): one is Numbered => one.kind !== "file");
  const of = (kind: Numbered["kind"]) =>
    [...new Set(cited.flatMap((one) => (one.kind === kind ? [one.id] : [])))].toSorted(
      (a, b) => a.length - b.length || (a < b ? -1 : 1),
    );
  const say = phrases("spec", sources.language);
  const entries = [
    ...of("finding").flatMap((id) => findingEntry(id, sources)),
    ...of("gap").flatMap((id) => gapEntry(id, sources, say)),
  ];
  const messages = of("message").flatMap((id) => messageEntry(id, sources));
  if (messages.length > 0) entries.push({ heading: "### Messages", text: messages.join("\n") });
  if (entries.length === 0) return `## Evidence\n\n${say("evidence_none")}`;
  let room = MOST.section;
  const shown = entries.map(({ heading, text }) => {
    room -= heading.length + text.length;
    return room < 0 && heading !== "### Messages" ? `${heading}\n\n…` : `${heading}\n\n${text}`;
  });
  return ["## Evidence", ...shown].join("\n\n");
}

interface Entry {
  heading: string;
  text: string;
}

/** A removed finding is struck out, and followed by when and why: `relay validate` reads it there. */
function findingEntry(id: string, { findings, removed, commit, addresses, language }: Sources): Entry[] {
  const isCited = (one: Finding) => one.number === Number(id) || one.id === id;
  const gone = removed.find(isCited);
  const found = findings.find(isCited) ?? gone;
  if (found === undefined) return [];
  const places = found.sources.slice(0, MOST.places).map(({ location }) => {
    const place = readLocation(location);
    const address = place && addresses.lines(found.commit ?? commit, place);
    return `- ${link(codeSpan(oneLine(location)), address)}`;
  });
  const more = found.sources.length - places.length;
  const synthesis = said(found.synthesis, MOST.text);
  const text =
    found === gone ? `~~${synthesis.replaceAll(/~~+/g, "") || "…"}~~ ${removalOf(gone, language)}` : synthesis;
  const list = [...places, ...(more > 0 ? [`- … +${more}`] : [])].join("\n");
  return [{ heading: `### Finding ${id}`, text: [text, list].filter((part) => part !== "").join("\n\n") || "…" }];
}

/** The question, and its answer with who gave it, or what is assumed instead. */
function gapEntry(id: string, sources: Sources, say: Translate<"spec">): Entry[] {
  const gap = sources.gaps.find(({ number }) => String(number) === id);
  if (gap === undefined) return [];
  const question = said(gap.question, MOST.question);
  return [{ heading: `### Gap ${id}`, text: `${question}\n\n- ${answerOf(gap, sources, say)}` }];
}

function answerOf(gap: Gap, { messages, addresses }: Sources, say: Translate<"spec">): string {
  const text = clause(said(gap.closedNote ?? "", MOST.text)) || "…";
  const how = gap.status === "closed" ? gap.closedReason : null;
  switch (how) {
    case "answered":
    case "inferred": {
      const answer = messages.find(({ externalId }) => externalId === gap.answeredIn);
      const settled = say(how === "answered" ? "quoted" : isAgreedTo(gap) ? "tldr_agreed" : "tldr_assumed", { text });
      return answer === undefined ? settled : `${settled} — ${saidBy(answer, addresses)}`;
    }
    case "not_relevant":
      return say("evidence_irrelevant", { text });
    case null:
      return say("evidence_open");
  }
  return how satisfies never;
}

function messageEntry(id: string, { messages, addresses }: Sources): string[] {
  const message = messageOf(id, messages);
  if (message === null) return [];
  const name = link(`message ${id}`, addresses.message(message.externalId));
  return [`- ${name}: @${plain(message.author, 60)}, ${dayOf(message)}`];
}

function saidBy(message: ConversationMessage, addresses: Sources["addresses"]): string {
  const name = link(`message ${message.seq}`, addresses.message(message.externalId));
  return `@${plain(message.author, 60)}, ${dayOf(message)}, ${name}`;
}

/** Words of others: one line that cites nothing and holds no secret. */
function said(text: string, most: number): string {
  return plain(keptText(text), most);
}

function dayOf({ timestamp }: ConversationMessage): string {
  return timestamp.toISOString().slice(0, 10);
}

function messageOf(id: string, messages: readonly ConversationMessage[]): ConversationMessage | null {
  return messages.find(({ seq }) => String(seq) === id) ?? null;
}
