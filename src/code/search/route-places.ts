import type { Surface } from "../../domain/issue-text/surfaces.ts";
import { escapeRegExp } from "../../lib/text.ts";
import { type Callee, calleeOf, plainName, workOf } from "./calls.ts";
import { type LineAt, type Look, PARAMETER, wordsOfRoute } from "./literals.ts";
import { isCallable } from "./pieces.ts";

type Route = Extract<Surface, { kind: "route" }>;

/** Certainty of the line of a route whose handler stands elsewhere. */
const ROUTER = 0.5;
/** Certainty of what the handler calls. */
const WORK = 0.8;
/** Files that may be the route's. */
const MOST_FILES = 3;
const LONGEST_STATEMENT = 6;
/** Names on the line of a route that may be its handler's, the last first. */
const NAMES_TRIED = 3;
const ANNOTATION = /^\s*(?:@|#\[|\[)/;
/** A handler that stands in the line of its route. */
const INLINE = /=>|\bfunction\b|\bfunc\s*\(|\bfn\s*\(|\bdo\b|\|\w+\||\{\s*$/;
const STRING = /(["'`])((?:(?!\1).)*)\1/g;
/** `orders#refund`, `OrderController@refund`. */
const CONTROLLER = /^[\w\\/:]+[#@]\w+$/;

/** Where a route is registered, the function that handles it, and the one that does the work for that; none if the route is not there. */
export async function routePlaces(route: Route, look: Look): Promise<LineAt[]> {
  const routers = await routersOf(route, look);
  if (routers.length > MOST_FILES) return routers;
  const places: LineAt[] = [];
  for (const router of routers) {
    const handler = await handlerAt(router, look);
    const work = handler === null ? null : await workOf(handler, look);
    // A function within the line, or none that is known.
    if (handler?.symbol == null) places.push(router);
    else {
      if (handler.position !== router.position) places.push({ ...router, certainty: ROUTER });
      const line = work === null ? within(handler) : { line: work.calledAt };
      places.push({ position: handler.position, certainty: 1, ...line });
    }
    if (work !== null) places.push({ position: work.callee.position, certainty: WORK, ...within(work.callee) });
  }
  return places;
}

/** Any line of a function. */
function within({ from, to }: Callee): Pick<LineAt, "line" | "others"> {
  return { line: from, others: Array.from({ length: to - from }, (_, at) => from + at + 1) };
}

/** The lines that have the route as a literal: whole, or its end where its beginning stands above or imports the file. */
async function routersOf({ method, path }: Route, look: Look): Promise<LineAt[]> {
  const segments = path.split("/").filter((segment) => segment !== "");
  if (!segments.some(isTold)) return [];
  const whole = await look.first(wordsOf(segments), routePatterns(method, segments));
  if (whole.length > 0) return whole;
  for (let at = 1; at < segments.length; at += 1) {
    const [start, end] = [segments.slice(0, at), segments.slice(at)];
    if (!start.some(isTold) || !end.some(isTold)) continue;
    const ends = await look.first(wordsOf(end), calledPatterns(method, end));
    const beginnings = ends.length === 0 ? [] : await look.first(wordsOf(start), beginningPatterns(start));
    const both: LineAt[] = [];
    for (const one of ends) if (await isUnder(one, beginnings, look)) both.push(one);
    if (both.length > 0) return both;
  }
  return [];
}

/** Whether the beginning of its path stands in the same file, or on a line that names the file in one that imports it. */
async function isUnder({ position }: LineAt, beginnings: readonly LineAt[], look: Look): Promise<boolean> {
  if (beginnings.some((one) => one.position === position)) return true;
  const names = look
    .pathOf(position)
    .replace(/\.\w+$/, "")
    .split("/")
    .slice(-2)
    .map(plainName);
  for (const one of beginnings.slice(0, MOST_FILES)) {
    const line = plainName((await look.lines(one.position))[(one.line ?? 0) - 1] ?? "");
    const isNamed = names.some((name) => name.length > 2 && line.includes(name));
    if (isNamed && (await look.imported(one.position)).has(position)) return true;
  }
  return false;
}

function wordsOf(segments: readonly string[]): string {
  return wordsOfRoute(segments.join("/"));
}

function isTold(segment: string): boolean {
  return !PARAMETER.test(segment);
}

/** A segment that has digits or a mark of a parameter stands for any. */
function pathPattern(segments: readonly string[]): string {
  const own = segments.map((segment) =>
    isTold(segment) ? String.raw`(?:${escapeRegExp(segment)}|[:{<$*][^/\s"'\x60]*)` : String.raw`[^/\s"'\x60]+`,
  );
  const path = own.join("/");
  // A word by itself is no path.
  return segments.length > 1 ? `/?${path}/?` : `(?:/${path}/?|${path}/)`;
}

function literal(segments: readonly string[], before = ""): RegExp {
  return new RegExp(String.raw`["'\x60]${before}${pathPattern(segments)}["'\x60]`, "i");
}

/** A path, or a word that is said to be one: `@Controller("orders")`. */
function beginningPatterns(segments: readonly string[]): RegExp[] {
  const word = escapeRegExp(segments.join("/"));
  return [
    literal(segments),
    new RegExp(String.raw`(?:controller|mapping|path|route|prefix|namespace)\w*\W{1,4}["'\x60]${word}["'\x60]`, "i"),
  ];
}

/** The method as a call, an annotation or an option beside the path. */
function calledPatterns(method: string | null, segments: readonly string[]): RegExp[] {
  const path = pathPattern(segments);
  return [
    new RegExp(
      String.raw`\b${method ?? "(?:get|post|put|patch|delete|head)"}\w*\W{1,3}.{0,40}["'\x60]${path}["'\x60]|["'\x60]${path}["'\x60].{0,60}\b${method ?? "methods?"}\b`,
      "i",
    ),
  ];
}

function routePatterns(method: string | null, segments: readonly string[]): RegExp[] {
  if (method === null) return [literal(segments, String.raw`(?:[A-Z]+ )?`)];
  return [literal(segments, `${method} `), ...calledPatterns(method, segments), literal(segments)];
}

/** The function that handles the route of a line: below its annotation, within the line, or named by it. */
async function handlerAt({ position, line }: LineAt, look: Look): Promise<Callee | null> {
  if (line === null) return null;
  const lines = await look.lines(position);
  const text = lines[line - 1] ?? "";
  if (ANNOTATION.test(text)) {
    const symbols = (await look.outline(position)).filter(isCallable);
    const symbol =
      symbols.findLast(({ start, end }) => start <= line && line <= end) ??
      symbols.find(({ start }) => line < start && start <= line + LONGEST_STATEMENT);
    return symbol === undefined ? null : { position, symbol, from: Math.min(line, symbol.start), to: symbol.end };
  }
  const statement = statementFrom(lines, line - 1);
  const rest = withoutStrings(statement);
  if (INLINE.test(rest)) return { position, symbol: null, from: line, to: endOf(lines, line) };
  const names = (rest.match(/[A-Za-z_$][\w$]*/g) ?? []).toReversed().slice(0, NAMES_TRIED);
  look.defining(names);
  for (const name of names) {
    const callee = await calleeOf(name, rest, position, look);
    if (callee !== null && !(callee.position === position && callee.from <= line && line <= callee.to)) return callee;
  }
  return null;
}

/** A line with those below it until its brackets are closed. */
function statementFrom(lines: readonly string[], at: number): string {
  let text = "";
  for (const line of lines.slice(at, at + LONGEST_STATEMENT)) {
    text += `${line} `;
    const opened = text.match(/[([{]/g)?.length ?? 0;
    if (opened <= (text.match(/[)\]}]/g)?.length ?? 0)) break;
  }
  return text;
}

/** What stands behind the first string, without other strings and named arguments, but for those that name the handler. */
function withoutStrings(statement: string): string {
  const start = statement.search(/["'`]/);
  return statement
    .slice(Math.max(0, start))
    .replaceAll(/\b(?:name|as)\s*[:=]\s*(["'`]).*?\1/g, " ")
    .replaceAll(STRING, (_, quote: string, text: string, at: number, all: string) =>
      CONTROLLER.test(text) || /::class,\s*$/.test(all.slice(0, at)) ? text : " ",
    );
}

/** The last line below that is indented deeper. */
function endOf(lines: readonly string[], line: number): number {
  const depths = lines.map((text) => text.search(/\S/));
  const own = depths[line - 1] ?? 0;
  const next = depths.findIndex((depth, at) => at >= line && depth !== -1 && depth <= own);
  return next === -1 ? lines.length : next;
}
