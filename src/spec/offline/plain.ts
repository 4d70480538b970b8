/** What people wrote is data: on its way into a document it becomes one line that can open no block and cite nothing. */
export function plain(text: string, most = 240): string {
  const flat = text
    .replaceAll(/```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)/g, " ")
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/^[ \t]*(?:[#>*+-]+|\d+[.)])[ \t]+/gm, " ")
    .replaceAll(/\s+/g, " ")
    .trim()
    .replace(DISCOURSE, "");
  return inert(shorten(flat, most));
}

/** Words that tie a sentence to the one before it, which does not come along. */
const DISCOURSE =
  /^(?:however|but|also|so|then|and|unfortunately|hi(?: all| there)?|hello|hey|однако|но|также|aber|jedoch|leider|hallo|pero|sin embargo|hola|mais|cependant|bonjour|mas|porém|olá)[,!.]?\s+(?=\S)/iu;

/** As many whole sentences as fit; half a sentence only where the first alone is too long. */
function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  const sentences = text.slice(0, most).match(/^.*(?:[.!?](?=\s|$)|[。！？])/su)?.[0];
  if (sentences !== undefined && sentences.length > most / 4) return sentences;
  const cut = text.slice(0, most - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), most / 2))}…`;
}

function inert(text: string): string {
  const balanced = (text.match(/`/g)?.length ?? 0) % 2 === 0 ? text : text.replaceAll("`", "");
  const uncited = balanced
    // A place that people named may not exist at the commit: it is told, not cited.
    .replaceAll(/`([^`\s]+:\d+(?:-\d+)?)`/g, "$1")
    .replaceAll(/\b(gap|finding|message)(s?)\s+#?(?=\d)/gi, "$1$2 no. ");
  const escaped = uncited
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll("<", "&lt;")))
    .join("");
  return escaped.replace(/^(?=[#>+\-*=~|_])/, "\\");
}

/** For a cell of a table. */
export function cell(text: string): string {
  return text.replaceAll(/\s+/g, " ").replaceAll("|", String.raw`\|`);
}

/** Without its full stop, for use inside a sentence. */
export function clause(text: string): string {
  return text.replace(/[.。!！]+$/u, "");
}
