import { type CodeRange, codeRanges, openFence } from "../../lib/markdown-offsets.ts";
import { stripHiddenCharacters } from "./unseen.ts";
import { removeSecrets } from "./secrets/remove-secrets.ts";
import { defuseStrangers } from "./mention-sanitizer.ts";

/** The longest comment that Relay posts, in characters (R-ACT-2). */
export const COMMENT_LIMIT = 65_000;

/** Something changed before posting. `detail` never contains a secret. */
export interface OutgoingChange {
  kind: "hidden_text" | "secret" | "image" | "mention" | "quick_action" | "open_fence";
  detail: string;
}

/**
 * Sanitizes a comment for posting (R-SAFE-2): without HTML comments (only Relay writes its markers), without secrets,
 * without pictures that would leak data to their server when the comment is viewed, without mentions of people who have
 * no part in the issue, and without GitLab's quick actions. Leaves a safe text unchanged, so it is idempotent. Does not
 * limit the length: see `COMMENT_LIMIT`.
 */
export function safeComment(
  markdown: string,
  { participants, bot }: { participants: readonly string[]; bot: string },
): { text: string; changes: OutgoingChange[] } {
  const changes: OutgoingChange[] = [];
  const lines = markdown.replaceAll(/\r\n?/g, "\n");

  const visible = removeHidden(lines);
  if (visible !== lines) changes.push({ kind: "hidden_text", detail: "HTML comment" });

  const plain = visible.replaceAll(UNSEEN, "");
  if (plain !== visible) changes.push({ kind: "hidden_text", detail: "invisible characters" });

  const clean = withoutSecrets(plain);
  changes.push(...clean.found.map((detail) => ({ kind: "secret" as const, detail })));

  const still = withoutImages(clean.text);
  if (still !== clean.text) changes.push({ kind: "image", detail: "shown as a link" });

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

/** Tags, reordering and blanks without width; joiners stay, since scripts and emoji need them. */
const UNSEEN = /[\u{e0000}-\u{e007f}\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]/gu;

/** A secret with invisible characters inserted is still one after copying. */
function withoutSecrets(text: string): ReturnType<typeof removeSecrets> {
  const clean = removeSecrets(text);
  const bare = removeSecrets(stripHiddenCharacters(clean.text));
  return bare.found.length === 0 ? clean : { text: bare.text, found: [...clean.found, ...bare.found] };
}

/** Relay shows no pictures; an image's address could leak anything that a manipulated model puts there. */
function withoutImages(text: string): string {
  if (!/!\[|<(?:img|picture|source|image|video|audio|svg|iframe)\b/i.test(text)) return text;
  const code = codeRanges(text);
  return text.replaceAll(/!+(?=\[)|<(?=(?:img|picture|source|image|video|audio|svg|iframe)\b)/gi, (found, at: number) =>
    rangeAt(code, at) ? found : found === "<" ? "&lt;" : "",
  );
}

const RELAY_MARKER = /<!--\s{0,20}relay:[^>]{0,500}>/gi;
/** Enough for comments nested by accident; a comment nested deeper is shown instead of hidden. */
const PASSES = 4;

/** Removing one comment can create another, so it is repeated until nothing changes. */
function removeHidden(text: string): string {
  let current = text;
  for (let pass = 0; pass < PASSES; pass += 1) {
    const next = removeComments(current.replaceAll(RELAY_MARKER, ""));
    if (next === current) return current;
    current = next;
  }
  return current.replaceAll("<!--", "&lt;!--");
}

function removeComments(text: string): string {
  if (!text.includes("<!--")) return text;
  const code = codeRanges(text);
  let kept = "";
  let position = 0;
  for (;;) {
    const start = text.indexOf("<!--", position);
    if (start === -1) return kept + text.slice(position);
    const inside = rangeAt(code, start);
    if (inside) {
      kept += text.slice(position, inside.end);
      position = inside.end;
      continue;
    }
    const end = text.indexOf("-->", start + 2);
    // Left unclosed, it would hide the rest of the comment.
    if (end === -1) return kept + text.slice(position, start) + text.slice(start).replaceAll("<!--", "&lt;!--");
    kept += text.slice(position, start);
    position = end + 3;
  }
}

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

/** Ranges are in order and do not overlap. */
function rangeAt(ranges: readonly CodeRange[], position: number): CodeRange | null {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.end ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  const range = ranges[low];
  return range && range.start <= position ? range : null;
}
