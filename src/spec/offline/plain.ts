import { stripHiddenText } from "../../domain/hidden-text.ts";

const READ = 4_000;
/** Lines that are code or output rather than what people say. */
const NO_PROSE = /^\s*(?:at\s+\S+[(:]|file:\/\/|\^+\s*$|Traceback\b|File ")|[;{}]\s*$|^\s*[)\]}]/;
/** Words that tie a sentence to the one before it, which does not come along. */
const DISCOURSE =
  /^(?:however|but|also|so|then|and|unfortunately|hi(?: all| there)?|hello|hey|однако|но|также|aber|jedoch|leider|hallo|pero|sin embargo|hola|mais|cependant|bonjour|mas|porém|olá)[,!.]?\s+(?=\S)/iu;

/**
 * What people wrote is data (R-SAFE-1): on its way into a document it becomes one line of whole sentences, at most
 * `most` characters, that opens no block, holds no HTML and cites nothing. Fenced code is left out.
 */
export function plain(text: string, most = 240): string {
  return inert(shorten(oneLine(text), most));
}

/** The same for what stands in the midst of a sentence: without its full stop. */
export function phrase(text: string, most = 160): string {
  return clause(plain(text, most));
}

/** Without its full stop. */
export function clause(text: string): string {
  return text.replace(/(?<![.。!！])[.。!！:：]$/u, "");
}

/** A command, message or name as code; plain text where code would not hold it. */
export function code(text: string, most = 120): string {
  const flat = stripHiddenText(text.slice(0, READ)).text.replaceAll(/\s+/g, " ").trim();
  // A place that people named may not exist at the commit: it is told, not cited.
  if (flat === "" || flat.includes("`") || /^\S+:\d+(?:-\d+)?$/.test(flat)) return plain(flat, most);
  return `\`${
    flat.length > most
      ? `${flat
          .slice(0, most - 1)
          .toWellFormed()
          .replace(/\uFFFD$/, "")}…`
      : flat
  }\``;
}

/** For a cell of a table. */
export function cell(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", String.raw`\|`);
}

function oneLine(text: string): string {
  const shown = stripHiddenText(text.slice(0, READ)).text.replaceAll(
    /```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)/g,
    "\n",
  );
  const all = shown.split(/\r?\n/).filter((line) => line.trim() !== "");
  const prose = all.filter((line) => !NO_PROSE.test(line));
  return (prose.length > 0 ? prose : all.slice(0, 1))
    .map((line) => line.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/^(?:\s*(?:[#>*+-]+|\d+[.)])(?=\s))+/, ""))
    .join(" ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(DISCOURSE, "")
    .trim();
}

/** As many whole sentences as fit; half a sentence only where the first alone is too long. */
function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const sentences = text.slice(0, most).match(/^.*(?:[.!?](?=\s|$)|[。！？])/su)?.[0];
  if (sentences !== undefined && sentences.length > most / 4) return sentences;
  const cut = text
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\uFFFD$/, "");
  const atClause = Math.max(cut.lastIndexOf(", "), cut.lastIndexOf("; "), cut.lastIndexOf("，"), cut.lastIndexOf("、"));
  const whole = cut.slice(0, atClause > most / 2 ? atClause : Math.max(cut.lastIndexOf(" "), most / 2));
  return `${whole.replace(/[\s,;:]+$/, "")}…`;
}

function inert(text: string): string {
  // Runs of several backticks pair up in ways that are hard to foresee; only single pairs stay code.
  const simple = !/``/.test(text) && (text.match(/`/g)?.length ?? 0) % 2 === 0 ? text : text.replaceAll("`", "");
  return simple
    .replaceAll(/`([^`\s]+:\d+(?:-\d+)?)`/g, "$1")
    .replaceAll(/\b(gap|finding|message)(s?)\s+#?(?=\d)/gi, "$1$2 no. ")
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;")))
    .join("")
    .replace(/^(?=[#>+\-*=~|_])/, "\\")
    .replace(/^(\d+)(?=[.)](?:\s|$))/, "$1\\")
    .replace(/\\+$/, "");
}
