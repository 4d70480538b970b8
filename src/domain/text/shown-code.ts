/** What a tracker shows a picture or a map of instead of the code: only its words are seen. */
const DIAGRAM = "mermaid";
const FORMULA = "math";
const MAPS = new Set(["geojson", "topojson", "stl"]);
const UNSEEN_IN_DIAGRAM = /^\s*(?:%%|accTitle\b|accDescr\b|click\b|href\b|link\b).*/i;
const UNSEEN_IN_FORMULA =
  /(?<!\\)%.*$|\\(?:[hv]?phantom|label|tag\*?|htmlData|htmlId|htmlClass|class|cssId|require)\s{0,5}\{[^{}\n]{0,300}\}/;

/** The language that the words after a fence begin with; anything else there is not shown. */
export function shownLanguage(info: string): string {
  const first = /^\{?\.?[A-Za-z][\w+#.-]{0,24}/.exec(info)?.[0] ?? "";
  const isLanguage = (first.match(/[A-Za-z]{2,}/g)?.length ?? 0) <= 2 && !/^\S/.test(info.slice(first.length));
  return isLanguage ? first : "";
}

/** What nobody sees of the lines in a fence of this language: each with its line, what goes and what stays. */
export function hiddenInCode(language: string, content: string): { line: number; from: string; to: string }[] {
  const unseen =
    language === DIAGRAM
      ? UNSEEN_IN_DIAGRAM
      : language === FORMULA
        ? UNSEEN_IN_FORMULA
        : MAPS.has(language)
          ? /.+/
          : null;
  if (unseen === null) return [];
  return content.split("\n").flatMap((text, line) => {
    const to = text.replaceAll(new RegExp(unseen, "gi"), "");
    return to === text ? [] : [{ line, from: text, to }];
  });
}
