import type { Block } from "./markdown.ts";

/** A name by which people meet a program from outside; the code that handles it has it as a literal. */
export type Surface =
  /** `shopctl list`, `list`: the words up to the first argument. */
  | { kind: "command"; as: string; words: string[] }
  /** `POST /carts/7`, `/healthz`. */
  | { kind: "route"; as: string; method: string | null; path: string }
  /** An HTTP status that tells of an error. */
  | { kind: "status"; as: string; code: number }
  /** `Retry-After`. */
  | { kind: "header"; as: string }
  /** `--limit`; `isTyped`: only as part of a command line. */
  | { kind: "option"; as: string; isTyped: boolean }
  /** `MAX_UPLOAD`: an environment variable, or another name in capitals. */
  | { kind: "variable"; as: string }
  /** `smtp.port`. */
  | { kind: "setting"; as: string; parts: string[] }
  /** `cells.next().unwrap()`: an expression, as the code may have it. */
  | { kind: "code"; as: string };

const MOST = 24;
const MOST_WORDS = 3;

const SPAN = /`([^`\n]+)`/g;
/** Several words that do not begin with an option. */
const LINE_TYPED = /^[^\w-]*\w\S*\s/;
const SHORTEST_CODE = 12;
const OPERATORS = /[(.=[<>+*/&|!?:-]+/g;
/** A name, or one call, which may as well be the reporter's own. */
const ONE_CALL = /^[\w.$:#>-]+(?:\([^()]*\))?;?$/;

const COMMAND_LINE = /^(?:[$>%❯]\s+)?([a-z][\w-]{1,40}(?: [a-z][\w-]{1,40})*)(?= --?\w| \W| [A-Z\d]| [^\x20-\x7e]|$)/;
const ROUTE =
  /(?<![\w/.:~-])(?:(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)\s+(?:https?:\/\/[\w.:-]+)?)?(\/(?![/*])[\w/:{}<>*-]{0,120})(?![\w/~]|\.\w)/g;
const STATUS = /(?<![\w.,:#/$€£-])([45]\d\d)(?![\w%.,:/-]*\d|[\w%/-]| ?(?:[kMG]i?B|ms|s|sec|min)\b)/g;
const HEADER = /(?<![\w./@-])([A-Z][a-z]+(?:-[A-Z][A-Za-z]+)+)(?![\w/-]|\.\w)/g;
const OPTION = /(?<![\w-])--([a-z][\w-]{1,40})/g;
const VARIABLE = /(?<![\w./$-])([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?![\w./(-])/g;
const SETTING = /(?<![\w@/.$-])([a-z][a-z0-9_]*(?:\.[a-z][A-Za-z0-9_]*){1,3})(?![\w/(@-]|\.\w)/g;

/**
 * The surfaces that a text names: commands only where they are written as code, as words of prose may read like one.
 * `isForeign` says whether a line runs a well-known program.
 */
export function surfacesIn(
  prose: string,
  spans: readonly string[],
  blocks: readonly Block[],
  isForeign: (line: string) => boolean,
): Surface[] {
  const shown = blocks.flatMap((block) =>
    block.kind === "code" ? block.text.split("\n").filter((line) => /^\s*[$❯] /.test(line)) : [],
  );
  const commands = [...spans, ...shown].flatMap((line): Surface[] => {
    const words = isForeign(line) ? undefined : COMMAND_LINE.exec(line.trim())?.[1]?.split(" ").slice(0, MOST_WORDS);
    return words === undefined ? [] : [{ kind: "command", as: words.join(" "), words }];
  });
  // `kettle pour --hot`; `--hot` by itself is what the text is about.
  const outside = prose.replaceAll(SPAN, (span, inner: string) => (LINE_TYPED.test(inner) ? " " : span));
  const told = new Set([...outside.matchAll(OPTION)].map(([as]) => as));
  const found: Surface[] = [
    ...commands,
    ...[...prose.matchAll(ROUTE)].flatMap(([as, method, path = ""]): Surface[] =>
      method === undefined && path === "/" ? [] : [{ kind: "route", as, method: method ?? null, path }],
    ),
    ...[...prose.matchAll(STATUS)].map(([, as = ""]): Surface => ({ kind: "status", as, code: Number(as) })),
    ...[...prose.matchAll(HEADER)].map(([, as = ""]): Surface => ({ kind: "header", as })),
    ...[...prose.matchAll(OPTION)].map(([as]): Surface => ({ kind: "option", as, isTyped: !told.has(as) })),
    ...[...prose.matchAll(VARIABLE)].map(([as]): Surface => ({ kind: "variable", as })),
    ...[...prose.matchAll(SETTING)].map(([, as = ""]): Surface => ({ kind: "setting", as, parts: as.split(".") })),
  ];
  const code = spans.filter((span) => isExpression(span) && !isForeign(span));
  found.push(...code.map((as): Surface => ({ kind: "code", as })));
  return [...new Map(found.map((one) => [`${one.kind} ${one.as}`, one])).values()].slice(0, MOST);
}

function isExpression(span: string): boolean {
  const operators = span.match(OPERATORS)?.length ?? 0;
  return span.length >= SHORTEST_CODE && /[([=]/.test(span) && operators > 1 && !ONE_CALL.test(span);
}
