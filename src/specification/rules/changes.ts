import type { Translate } from "../../i18n/messages.ts";
import type { SpecKey } from "../../i18n/spec.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import type { SpecInput } from "../generator.ts";
import { isSameButDate, requestsSince } from "../revision.ts";
import { bullets, section } from "./markdown.ts";
import { phrase, plain } from "./plain.ts";
import { saysProceed } from "../discussion.ts";

/**
 * A document with its Changelog (R-SPEC-12): for a first version none, for one that says the same as before the
 * entries of before, and for a revision one more that names who asked for what.
 */
export function withChangelog(
  document: string,
  input: SpecInput,
  say: Translate<SpecKey>,
): { markdown: string; changelog: string } {
  const { existing } = input;
  if (existing === null) return { markdown: document, changelog: "" };
  const earlier = parseSpec(existing.content).changelog.map((entry) => entry.text.replaceAll(/\s+/g, " "));
  const same = joined(document, earlier);
  if (isSameButDate(same, existing.content)) return { markdown: same, changelog: "" };
  const changelog = changeOf(input, say);
  const day = input.now.toISOString().slice(0, 10);
  return { markdown: joined(document, [...earlier, `${day}: ${changelog}`]), changelog };
}

function joined(document: string, entries: string[]): string {
  return entries.length === 0 ? document : `${document}\n${section("Changelog", bullets(entries))}\n`;
}

/** The last request counts; a mere go-ahead only where nothing else was said. */
function changeOf(input: SpecInput, say: Translate<SpecKey>): string {
  const requests = requestsSince(input);
  const request = requests.findLast((message) => !saysProceed(message.content, input.proceedSignal)) ?? requests.at(-1);
  if (request)
    return say("change_asked", {
      login: plain(request.author, 60),
      seq: request.seq,
      text: phrase(request.content, 160),
    });
  const since = new Date(input.existing?.ref.updated_at ?? 0);
  const settled = input.closedGaps.filter((gap) => gap.closedAt !== null && gap.closedAt > since);
  return settled.length > 0
    ? say("change_settled", { text: settled.map((gap) => `Gap #${gap.number}`).join(", ") })
    : say("change_findings");
}
