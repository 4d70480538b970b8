import { type AddressOf, linkedInline } from "../domain/spec-document/links.ts";
import { prose } from "../domain/text/comment-markdown.ts";

/**
 * A text of a spec as it may stand in a comment: on one line, with its code spans, without emphasis, at most `most`
 * characters besides the links at its places.
 */
export function specProse(markdown: string, most: number, addressOf: AddressOf): string {
  return linkedInline(prose(asText(markdown), most), (cited) => (cited.kind === "file" ? addressOf(cited) : null));
}

/** The text of a spec's Markdown, with code spans but without escapes, which would be escaped again. */
function asText(markdown: string): string {
  return markdown
    .split(/(`[^`\n]*`)/)
    .map((part, at) => (at % 2 === 1 ? part : unescaped(part)))
    .join("");
}

function unescaped(text: string): string {
  return text
    .replaceAll(/(\*\*|__)(?=\S)(.{1,500}?)(?<=\S)\1/g, "$2")
    .replaceAll(/\\([!-/:-@[-`{-~])/g, "$1")
    .replaceAll("&lt;", "<")
    .replaceAll("&amp;", "&");
}
