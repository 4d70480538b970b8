import { STATUS_CODES } from "node:http";
import type { Surface } from "../../domain/issue-text/surfaces.ts";
import { escapeRegExp } from "../../lib/text.ts";
import { type LineAt, type Look, quoted, shared, wordsOfRoute } from "./literals.ts";
import { routePlaces } from "./route-places.ts";
import { optionPlaces, sectionPlaces, variablePlaces } from "./setting-places.ts";
import { siblingsOf } from "./siblings.ts";

/** Code that handles what the issue names from outside: a branch for a command, a route, a status, a setting. */
export interface Handler extends Omit<LineAt, "position"> {
  as: string;
}

/** A literal in more files is a common word. */
const MOST_FILES = 3;
/** Certainty of a command that is written without its program. */
const ALONE = 0.6;
/** Certainty of a status: many things may end in it. */
const STATUS = 0.6;

/** Looks for the code that handles each surface: exact literals first, then files named so, then others of its kind. */
export async function handlersOf(surfaces: readonly Surface[], look: Look): Promise<Map<number, Handler[]>> {
  const found = new Map<number, Handler[]>();
  look.searchAll(surfaces.flatMap(textsOf));
  let missing: Surface[] = [];
  for (const surface of surfaces) {
    const places = await placesOf(surface, look);
    if (places === null) missing.push(surface);
    else add(found, surface, places);
  }
  // An option that is wished for belongs to its command, if the issue names one.
  const isKnown = [...found.values()].flat().length > 0;
  missing = missing.filter(({ kind }) => kind !== "option" || !isKnown);
  for (const surface of missing) add(found, surface, shared(await siblingsOf(surface, look)));
  return found;
}

function add(found: Map<number, Handler[]>, { as }: Surface, places: readonly LineAt[]): void {
  for (const how of ["named", "handles", "uses", "beside"] as const) {
    const such = places.filter((place) => (place.how ?? "handles") === how);
    const files = new Set(such.map(({ position }) => position)).size;
    if (files > MOST_FILES) continue;
    for (const { position, ...place } of such) found.set(position, [...(found.get(position) ?? []), { ...place, as }]);
  }
}

/** The literals that are looked for. */
function textsOf(surface: Surface): string[] {
  switch (surface.kind) {
    case "command":
      return surface.words;
    case "route":
      return [wordsOfRoute(surface.path)];
    case "status":
      return [statusText(surface.code), surface.as];
    case "header":
    case "option":
    case "variable":
    case "code":
      return [surface.as];
    case "setting":
      return surface.parts;
    default:
      return surface satisfies never;
  }
}

/** `Too Many Requests`; empty for a status that HTTP does not have. */
function statusText(code: number): string {
  return STATUS_CODES[code]?.replaceAll(/[^A-Za-z ]/g, "") ?? "";
}

/** Where a surface is handled; null if it is not there, although its kind can be looked for. */
async function placesOf(surface: Surface, look: Look): Promise<LineAt[] | null> {
  switch (surface.kind) {
    case "command": {
      const places = await commandAt(surface.words, look);
      return places === null ? null : shared(places);
    }
    case "route":
      return surface.path === "/" ? null : orNull(await routePlaces(surface, look));
    case "status": {
      const name = statusText(surface.code);
      if (name === "") return [];
      const named = await look.first(name, [statusName(name)], STATUS);
      return shared(named.length > 0 ? named : await look.first(surface.as, [statusNumber(surface.as)], STATUS));
    }
    case "header":
      return orNull(shared(await look.first(surface.as, [quoted(escapeRegExp(surface.as), "i")])));
    case "option": {
      const name = surface.as.slice(2);
      // An option that is there is what the user typed, not where it goes wrong, but for the code that uses it.
      const users = surface.isTyped ? [] : await optionPlaces(name, look);
      if (users.length > 0) return users;
      const there = await look.first(name, [quoted(`(?:--)?${escapeRegExp(name)}`), key(name)]);
      return there.length > 0 ? [] : null;
    }
    case "setting":
      return await sectionPlaces(surface.parts, look);
    case "variable":
      return await variablePlaces(surface.as, look);
    case "code": {
      const written = surface.as
        .split(/\s+/)
        .map(escapeRegExp)
        .join(String.raw`\s+`);
      return shared(await look.first(surface.as, [new RegExp(written)])).map((place) => ({ ...place, how: "named" }));
    }
    default:
      return surface satisfies never;
  }
}

function orNull<T>(list: T[]): T[] | null {
  return list.length > 0 ? list : null;
}

/** The last word of a command that a file is named for, or that a branch compares with. */
async function commandAt(words: readonly string[], look: Look): Promise<LineAt[] | null> {
  const [first = "", ...rest] = words;
  const isProgram = rest.length > 0 && look.isProgram(first);
  if (!isProgram && rest.length > 0 && look.namedFor(first).length === 0) return [];
  for (const word of (isProgram ? rest : words).toReversed()) {
    const files = look.namedFor(word);
    if (files.length > 0) return files;
    const branches = await look.first(word, branchPatterns(word), isProgram ? 1 : ALONE);
    const own = isProgram ? branches : branches.filter(({ position }) => look.hasCommands(position));
    if (own.length > 0) return own;
  }
  return isProgram ? null : [];
}

/** `limit: {`, at the head of a line. */
function key(name: string): RegExp {
  return new RegExp(String.raw`^\s*${escapeRegExp(name)}\s*[:=]`);
}

/** A comparison with the word or an arm for it; then a call that registers it. */
function branchPatterns(word: string): RegExp[] {
  const literal = String.raw`(["'\x60])${escapeRegExp(word)}\1`;
  return [
    new RegExp(
      String.raw`(?:\b(?:case|when)\s+|[!=]=\s*|\bequals\(\s*)${literal}|(?:^|[\s,{(|])${literal.replace(String.raw`\1`, String.raw`\2`)}\s*(?:=>|->|:(?![:=])|==)`,
    ),
    new RegExp(
      String.raw`(?:command|cmd|parser|register|task|verb|action)\w*[!]?\s*\(\s*${literal}|\b(?:use|name)\s*[:=]\s*["'\x60]${escapeRegExp(word)}(?=["'\x60 ])`,
      "i",
    ),
  ];
}

/** `StatusTooManyRequests`, `HTTP_429_TOO_MANY_REQUESTS`. */
function statusName(name: string): RegExp {
  return new RegExp(
    String.raw`(?:status\w*[.:]*|http\w*[.:]+|http_(?:\d{3}_)?)${name.trim().split(/\s+/).join("_?")}\b`,
    "i",
  );
}

function statusNumber(code: string): RegExp {
  return new RegExp(
    String.raw`(?:status|code|http|respon|head|abort|error|reply|send).{0,40}(?<![\w."'-]|[<>]=?\s*)${code}(?![\w."'-])`,
    "i",
  );
}
