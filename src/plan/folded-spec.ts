import { linesOf } from "../domain/spec-document/blocks.ts";
import { locationOf } from "../domain/spec-document/citations.ts";
import { codeSpan } from "../lib/text.ts";
import { partsOf } from "../domain/spec-document/evidence-section.ts";
import { linked } from "../domain/spec-document/links.ts";
import { parseSpec } from "../domain/spec-document/parse.ts";
import { keptText } from "../domain/text/clean-text.ts";
import { safeComment } from "../domain/text/comment-sanitizer.ts";
import { link } from "../domain/text/comment-markdown.ts";
import { codeRanges } from "../lib/markdown-offsets.ts";
import type { Translate } from "../i18n/phrases.ts";

type Say = Translate<"plan">;

/**
 * A spec as people read it in a thread (R-SPEC-18): its sections in a fold, with links where its citations have
 * addresses, and nothing in it that could leave the fold, call somebody or hide. What does not fit into `room`
 * characters is left out from its end, section by section, and counted; people who approve read the first ones.
 */
export function foldedSpec(
  { text, url, version }: { text: string; url: string | null; version: number },
  room: number,
  say: Say,
): string {
  const sections = sectionsOf(keptText(text), url);
  const open = `<details>\n<summary>${say("spec_fold", { number: version })}</summary>`;
  const close = "</details>";
  for (let shown = sections.body.length; shown > 0; shown -= 1) {
    const missing = sections.body.length - shown;
    const parts = [
      ...sections.body.slice(0, shown),
      ...(missing === 0 ? [] : [rest(missing, url, say)]),
      sections.addresses,
    ];
    const made = [open, safe(parts.filter((part) => part !== "").join("\n\n")), close].join("\n\n");
    if (made.length <= room) return made;
  }
  return `${open}\n\n${rest(sections.body.length, url, say)}\n\n${close}`;
}

/** Lines of differences in a fold; what does not fit is left out and counted. */
export function foldedChanges(changes: { text: string; since: number }, room: number, say: Say): string {
  const text = harmless(keptText(changes.text)).trimEnd();
  const lines = linesOf(text);
  const fence = "`".repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([run]) => run.length + 1)));
  let length = 200;
  const over = lines.findIndex((line) => {
    length += line.length + 1;
    return length > room;
  });
  const shown = over === -1 ? lines : [...lines.slice(0, over), `… +${lines.length - over}`];
  const body = safe(`${fence}diff\n${shown.join("\n")}\n${fence}`);
  return `<details>\n<summary>${say("spec_changes", { number: changes.since })}</summary>\n\n${body}\n\n</details>`;
}

/** The sections, Evidence last, and the addresses that their links lead to; without the head, which the comment has. */
function sectionsOf(text: string, url: string | null): { body: string[]; addresses: string } {
  const { written, evidence, addresses } = partsOf(text);
  const { sections } = parseSpec(written);
  const first = sections[0]?.line ?? 1;
  // A heading has no address within a comment, and `#1` would lead to another issue.
  const lines = linesOf(written)
    .slice(first - 1)
    .join("\n")
    .replaceAll(NUMBER_SIGN, "$1 $2");
  const found = linked(lines.trim(), (cited) => {
    const labels = cited.kind === "file" ? [placeName(cited)] : [`message ${cited.id}`, `message #${cited.id}`];
    if (cited.kind === "finding" || cited.kind === "gap") return url && `${url}#${cited.kind}-${cited.id}`;
    return labels.map((label) => addresses.get(label)).find((address) => address !== undefined) ?? null;
  });
  return { body: [...divided(found.text), ...(evidence === "" ? [] : [inert(evidence)])], addresses: found.addresses };
}

const NUMBER_SIGN = /\b((?:gap|finding|message)s?) #(\d)/gi;

function placeName({ path, start, end }: { path: string; start: number; end: number }): string {
  return codeSpan(locationOf({ path, start, end }));
}

/** One piece for each section. */
function divided(text: string): string[] {
  const lines = linesOf(text);
  const starts = parseSpec(text).sections.map(({ line }) => line - 1);
  const all = starts[0] === 0 ? starts : [0, ...starts];
  return all
    .map((from, at) =>
      inert(
        lines
          .slice(from, all[at + 1])
          .join("\n")
          .trim(),
      ),
    )
    .filter((part) => part !== "");
}

/** Outside of code: no tags, pictures, formulas and mentions, and smaller headings. */
function inert(text: string): string {
  let made = "";
  let position = 0;
  for (const { start, end } of codeRanges(text)) {
    made += plainly(text.slice(position, start)) + harmless(text.slice(start, end));
    position = end;
  }
  return made + plainly(text.slice(position));
}

/** Code in which nothing is a marker of Relay's or a command of a tracker, wherever its parser sees code. */
function harmless(code: string): string {
  return code.replaceAll("<!--", "< !--").replaceAll(/^([^\S\n]*)(\/[a-z_]{2,40})(?=\s|$)/gim, String.raw`$1\$2`);
}

function plainly(text: string): string {
  return text
    .replaceAll(/^(#{1,4}) /gm, "##$1 ")
    .replaceAll(/<(https?:\/\/[^\s<>]+)>/g, "$1")
    .replaceAll("<", "&lt;")
    .replaceAll(/(?<!\\)\$/g, String.raw`\$`)
    .replaceAll(/!+\[/g, "[")
    .replaceAll(/(?<![\p{L}\p{N}/])@(?=[A-Za-z0-9])/gu, "");
}

/** Text that posting does not change. */
function safe(text: string): string {
  return safeComment(text.toWellFormed(), { participants: [], bot: "relay", origins: "later" }).text;
}

function rest(number: number, url: string | null, say: Say): string {
  return link(say("spec_rest", { number }), url);
}
