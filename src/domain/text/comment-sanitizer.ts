import { codeRanges, openFence, rangeAt } from "../../lib/markdown-offsets.ts";
import { stripHiddenCharacters } from "./hidden-characters.ts";
import { removeSecrets } from "./secrets/remove-secrets.ts";
import { defuseStrangers } from "./mention-sanitizer.ts";
import { stripHiddenText } from "./hidden-text.ts";
import { foreignLinksAsText } from "./outgoing-links.ts";
import { tagsAsText } from "./outgoing-tags.ts";

/** The longest comment that Relay posts, in characters (R-ACT-2). */
export const COMMENT_LIMIT = 65_000;

/** Something changed before posting. `detail` never contains a secret. */
export interface OutgoingChange {
  kind: "hidden_text" | "secret" | "image" | "link" | "mention" | "quick_action" | "open_fence";
  detail: string;
}

/**
 * Sanitizes what Relay writes for people (R-SAFE-2, R-SAFE-6, R-SAFE-7): without anything that they would not see (only
 * Relay writes its markers), without secrets, with tags, pictures and links to hosts outside of `origins` as text, without
 * mentions of people who have no part in the issue, and without GitLab's quick actions. Leaves a safe text unchanged, so
 * it is idempotent. Does not limit the length: see `COMMENT_LIMIT`.
 */
export function safeComment(markdown: string, people: Outgoing): { text: string; changes: OutgoingChange[] } {
  const first = sanitized(markdown, people);
  let { text } = first;
  const changes = [...first.changes];
  // What is taken out can bring the parts of something else together.
  for (let round = 1; round < ROUNDS && changes.length > 0; round += 1) {
    const again = sanitized(text, people);
    if (again.text === text) break;
    ({ text } = again);
    changes.push(...again.changes);
  }
  return { text, changes };
}

interface Outgoing {
  participants: readonly string[];
  bot: string;
  /** Where links may lead; `later`: a part of a text that is judged as a whole, or that was. */
  origins: ReadonlySet<string> | "later";
}

function sanitized(
  markdown: string,
  { participants, bot, origins }: Outgoing,
): { text: string; changes: OutgoingChange[] } {
  const changes: OutgoingChange[] = [];
  const lines = markdown.replaceAll(/\r\n?|[\u2028\u2029]/g, "\n").replaceAll(RELAY_MARKER, "");

  const plain = shownText(lines);
  if (plain !== markdown.replaceAll(/\r\n?/g, "\n"))
    changes.push({ kind: "hidden_text", detail: "not shown to people" });

  const clean = withoutSecrets(plain);
  changes.push(...clean.found.map((detail) => ({ kind: "secret" as const, detail })));

  const near = origins === "later" ? { text: clean.text, removed: [] } : foreignLinksAsText(clean.text, origins);
  const still = withoutImages(near.text);
  if (still !== near.text) changes.push({ kind: "image", detail: "shown as text" });
  changes.push(
    ...[...new Set(near.removed)].map((detail) => ({ kind: "link" as const, detail: detail.slice(0, 200) })),
  );

  // A GitHub App's login ends in `[bot]`; it is mentioned without that.
  const allowed = [...participants, bot, bot.replace(/\[bot\]$/, "")];
  const { text: quiet, defused } = defuseStrangers(still, allowed);
  changes.push(...defused.map((name) => ({ kind: "mention" as const, detail: name })));

  const inert = escapeQuickActions(quiet);
  changes.push(...inert.escaped.map((detail) => ({ kind: "quick_action" as const, detail })));

  const fence = openFence(inert.text);
  if (fence !== null) changes.push({ kind: "open_fence", detail: fence });
  return { text: fence === null ? inert.text : `${inert.text}\n${fence}`, changes };
}

const ROUNDS = 4;

/** What people see, with tags as text, which can make Markdown of what was none. */
function shownText(text: string): string {
  let shown = text;
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = tagsAsText(stripHiddenText(shown, { tags: false }).text);
    if (next === shown) break;
    shown = next;
  }
  return shown;
}

/** A secret with invisible characters inserted is still one after copying. */
function withoutSecrets(text: string): ReturnType<typeof removeSecrets> {
  const clean = removeSecrets(text);
  const bare = removeSecrets(stripHiddenCharacters(clean.text));
  return bare.found.length === 0 ? clean : { text: bare.text, found: [...clean.found, ...bare.found] };
}

/** Relay shows no pictures; an image's address could leak anything that a manipulated model puts there. */
function withoutImages(text: string): string {
  if (!text.includes("![")) return text;
  const code = codeRanges(text);
  return text.replaceAll(/!+(?=\[)/g, (found, at: number) => (rangeAt(code, at) ? found : ""));
}

const RELAY_MARKER = /<!--\s{0,20}relay:[^>]{0,500}>/gi;
/**
 * GitLab executes lines such as `/close`. It finds them in the raw text and recognizes only plain three-backtick fences
 * as code, so that all others are escaped too.
 */
function escapeQuickActions(text: string): { text: string; escaped: string[] } {
  const fences = codeRanges(text, { spans: false }).filter((range) => range.topLevel && range.markup === "```");
  const escaped: string[] = [];
  const inert = text.replaceAll(
    /^([^\S\n]*)(\/[a-z_]{2,40})(?=\s|$)/gim,
    (whole: string, indent: string, command: string, at: number) => {
      if (rangeAt(fences, at)) return whole;
      escaped.push(command);
      return `${indent}\\${command}`;
    },
  );
  return { text: inert, escaped };
}
