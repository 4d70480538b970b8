import { wordsIn } from "./shown-address.ts";
import { isLanguage } from "./fence-languages.ts";
import type { Cut } from "./html-shown.ts";
import { isRecord } from "../../lib/text.ts";

/*
 * What people see of code. GitHub and GitLab draw diagrams, formulas, maps and tables instead of their code; of all other
 * code they see everything but what stands far to the right.
 */

/** The language that the words after a fence begin with; anything else there is not shown. */
export function shownLanguage(info: string): string {
  const [, name = ""] = /^\{?\.?([A-Za-z][\w+#.:-]{0,24})(?![^\s},;{(:])/.exec(info) ?? [];
  return isLanguage(name) ? name : "";
}

/** What nobody sees of the code in a fence of this language, by positions in it. Linear. */
export function hiddenInCode(language: string, code: string): Cut[] {
  const cuts = (HIDDEN_IN[language.toLowerCase()] ?? (() => []))(code);
  return [...cuts, ...farOff(code), ...behindQuote(code)];
}

/** What nobody sees of a formula, by positions in it: comments, or all of it where a command can hide a part. */
export function hiddenInFormula(formula: string): Cut[] {
  if (HIDES_IN_FORMULA.test(formula)) return [{ start: 0, end: formula.length, to: "…", kind: "unshown" }];
  return found(formula, /(?<![\\%])%[^\n]*/g, "comment");
}

type Hidden = (code: string) => Cut[];

const HIDDEN_IN: Readonly<Record<string, Hidden>> = {
  mermaid: hiddenInDiagram,
  math: hiddenInFormula,
  ...sameFor(["geojson", "topojson", "stl"], (code) => found(code, /[^\n]+/g, "comment")),
  "json:table": hiddenInTable,
  ...sameFor(["plantuml", "puml", "c4plantuml"], (code) =>
    found(code, /\/'(?:[^']|'(?!\/))*(?:'\/|$)|^[^\S\n]{0,100}'[^\n]*|^[^\S\n]{0,100}!\w[^\n]*/gm, "comment"),
  ),
  ...sameFor(["graphviz", "dot", "erd", "d2", "nomnoml", "pikchr", "structurizr", "blockdiag", "seqdiag"], (code) =>
    found(
      code,
      /\/\*(?:[^*]|\*(?!\/))*(?:\*\/|$(?![\s\S]))|^[^\S\n]{0,100}(?:#|\/\/)[^\n]*|\b(?:comment|tooltip|URL|href|id|class)[^\S\n]{0,9}=[^\S\n]{0,9}(?:"[^"\n]*"|[^\s,\]]+)/gm,
      "comment",
    ),
  ),
};

function sameFor(languages: readonly string[], hidden: Hidden): Record<string, Hidden> {
  return Object.fromEntries(languages.map((language) => [language, hidden]));
}

/** Commands of KaTeX and MathJax that hide, colour, move or define, so that what is written is not what is seen. */
const HIDES_IN_FORMULA =
  /\\(?:[hv]?phantom|smash|label|tag|html(?:Data|Id|Class|Style)|class|cssId|style|data|require|unicode|enclose|bbox|href|url|includegraphics|tooltip|texttip|mathtip|toggle|(?:math)?[rlc]lap|iffalse|comment|[egx]?def|let|futurelet|(?:re)?newcommand|providecommand|(?:re)?newenvironment|DeclareMathOperator)(?![A-Za-z])|\\(?:text)?color\s{0,9}(?:\[[^\]\n]{0,30}\]\s{0,9})?\{\s{0,9}(?:#|white|transparent|black|[\d.])|\\(?:hspace|[hm]skip|[hm]?kern|mkern|raise(?:box)?|lower|rule|moveleft|moveright)\*?\s{0,9}\{?\s{0,9}-?\d{2}|\\begin\{comment/;

/** Statements of Mermaid that draw nothing: comments, settings, styles, descriptions for screen readers, addresses. */
const UNDRAWN =
  /%%\{(?:[^}]|\}(?!%%))*(?:\}%%|$(?![\s\S]))|^[^\S\n]{0,100}(?:%%[^\n]*|acc(?:Title|Descr)\b(?:[^\S\n]{0,9}\{[^}]*\}?|[^\n]*)|(?:click|href|links?|callback|style|classDef|class|linkStyle|cssClass|properties|details|UpdateElementStyle|UpdateRelStyle|config)\b(?![^\S\n]{0,9}[-=.<~:[({|>])[^\n]*)|:::[\w-]+/gim;
/** Styles in which letters are not seen, or have the colour of what is behind them. */
const HIDES_IN_DIAGRAM =
  /opacity["'\s:]{1,9}0(?![.\d]*[1-9])|display["'\s:]{1,9}none|visibility["'\s:]{1,9}(?:hidden|collapse)|font-?size["'\s:]{1,9}0|(?<!fill-|stroke-)(?:color|Color|Colour)["'\s:]{1,9}(?:transparent|none|rgba)|fill:([^,;\s]{1,40}),[^\n]{0,200}\bcolor:\1(?![\w])|^(?!.{0,300}fill:).{0,300}[\s,]color:(?:white|#f{3}|#e{2}cef{2})/im;
/** Names of nodes, of which only the label is drawn. */
const NODE =
  /(?:^|[\s;&>|])([A-Za-z_][\w-]{7,200})(?=\[|\(|\{|>|@\{)|\b(?:participant|actor|state|as)\s{1,9}([\w-]{8,200})\b/gm;
const MOST_WORDS = 2;

function hiddenInDiagram(code: string): Cut[] {
  if (HIDES_IN_DIAGRAM.test(code)) return [{ start: 0, end: code.length, to: "", kind: "unshown" }];
  const names = [...code.matchAll(NODE)].flatMap(([, node, person]) => [node ?? "", person ?? ""]);
  const saying = new Set(names.filter((name) => wordsIn(name.replaceAll("_", " ")) > MOST_WORDS));
  return [
    ...found(code, UNDRAWN, "comment"),
    ...settingsBefore(code),
    ...found(code, /@\{[^}]*\}/g, "comment").map((cut) => ({ ...cut, to: shapeOf(code.slice(cut.start, cut.end)) })),
    ...found(code, /[A-Za-z_][\w-]{7,200}/g, "markup")
      .filter(({ start, end }) => saying.has(code.slice(start, end)))
      .map((cut) => ({ ...cut, to: "node" })),
  ];
}

/** Of the settings that a diagram begins with, the title is drawn. */
function settingsBefore(code: string): Cut[] {
  const settings = /^\s{0,100}---[^\S\n]*\n(?:[^\n]*\n)*?[^\S\n]*---[^\S\n]*(?:\n|$)/.exec(code)?.[0] ?? "";
  return found(settings, /^(?![^\S\n]*(?:title:|---))[^\n]+/gm, "comment");
}

/** Of a node's properties, the label is drawn. */
function shapeOf(properties: string): string {
  const label = /\blabel:\s{0,9}(?:"[^"]*"|'[^']*'|[^,}\s]+)/.exec(properties)?.[0] ?? "";
  return label === "" ? "" : `@{ ${label} }`;
}

/** Of a table of GitLab in JSON: what stands in its columns, else in its rows; nothing of what is none. */
function hiddenInTable(code: string): Cut[] {
  const shown = shownTable(code);
  return shown === null ? [] : [{ start: 0, end: code.trimEnd().length, to: shown, kind: "unshown" }];
}

function shownTable(code: string): string | null {
  const whole: unknown = parsed(code);
  if (!isRecord(whole)) return null;
  const { items, fields, caption } = whole;
  if (!Array.isArray(items)) return null;
  const columns = Array.isArray(fields)
    ? fields.map((field: unknown) => (isRecord(field) ? field["key"] : field)).filter((key) => typeof key === "string")
    : null;
  const rows = items.map((item: unknown) =>
    isRecord(item) && columns !== null
      ? Object.fromEntries(Object.entries(item).filter(([key]) => columns.includes(key)))
      : item,
  );
  return JSON.stringify(typeof caption === "string" ? { caption, items: rows } : { items: rows });
}

function parsed(code: string): unknown {
  try {
    return JSON.parse(code);
  } catch {
    // Shown as an error.
    return null;
  }
}

/** Blanks of one line that push what follows out of the box that shows code. */
const OUT_OF_VIEW = /(?<![^\S\n])[^\S\n]{80,}\S[^\n]*|(?<!\t)\t{30,}\S[^\n]*/g;

function farOff(code: string): Cut[] {
  return found(code, OUT_OF_VIEW, "unshown");
}

/** GitLab ends a quote of several lines, and the code in it, at `>>>`; what follows is no code there. */
function behindQuote(code: string): Cut[] {
  if (!/^>{3,}[^\S\n]*$/m.test(code)) return [];
  return found(code, /<!--(?:[^-]|-(?!->))*(?:-->|$(?![\s\S]))/g, "comment");
}

function found(code: string, what: RegExp, kind: Cut["kind"]): Cut[] {
  return [...code.matchAll(what)].map(({ 0: gone, index }) => ({
    start: index,
    end: index + gone.length,
    to: "",
    kind,
  }));
}
