import { type ForbiddenPlace, type WishedPlaces, forbiddenPlaces, wishedPlaces } from "../../approval/wished-places.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import { isForbidden, namesLeft, isNamed } from "../../domain/statements/file-names.ts";
import { forbidsPlaces, placesMeant, type PlacesMeant } from "../../domain/statements/places-meant.ts";
import type { Statement } from "../../domain/statements/statement.ts";
import { escapeRegExp } from "../../lib/text.ts";
import type { DeclaredChange, SpecInput } from "../generator.ts";
import type { Place } from "./places.ts";

/** The places that a wish adds to the work, and the test that covers the first of them. */
export interface WishedWork {
  places: Place[];
  test: Place | null;
}

/** What later wishes mean for the spec (R-CONF-9). */
export interface WishesHeard {
  /** The places of the work: without what is spared, and what a wish names beside the place where the work begins. */
  places: Place[];
  /** What is work of its own, by the numbers of the messages. */
  wished: Map<number, WishedWork>;
  /** Whether a statement only spares places, or asks for work at places that a later wish spares: it bounds the work. */
  isBound: (statement: Pick<Statement, "text" | "message">) => boolean;
  /** The places that a sentence forbids, where it is an order in force not to touch them, or leaves them out, and no more. */
  forbiddenIn: (statement: Pick<Statement, "text" | "message">) => string[];
  /** Whether a statement orders not to touch what is all free again. */
  isLifted: (statement: Pick<Statement, "text" | "message">) => boolean;
  /** Files where an order not to touch others puts the work. */
  put: string[];
  /** No test is to change, or nothing but some files. */
  testsStay: boolean;
  /** The parts of an earlier version that name what is spared, each with the wish that spares it. */
  changes: DeclaredChange[];
}

/** Reads the wishes that came after the first plan. Where nothing else is left, the work begins at what they name. */
export function wishesHeard(input: SpecInput, all: readonly Place[]): WishesHeard {
  const wishes = wishedPlaces(input.messages, ({ seq }) => input.deciders.has(seq));
  const forbidden = forbiddenPlaces(input.issue, input.messages, ({ seq }) => input.deciders.has(seq));
  const ofWishes = wishes.flatMap(({ spared: names, seq }) => names.map((name) => ({ name, seq })));
  const isKnown = ({ name, seq }: { name: string; seq: number }) =>
    ofWishes.some((one) => one.name === name && one.seq === seq);
  const spared = [
    ...ofWishes,
    ...forbidden.places.flatMap(({ name, seq }) => (seq === null || isKnown({ name, seq }) ? [] : [{ name, seq }])),
  ];
  const names = forbidden.places.map(({ name }) => name);
  const namesSpared = spared.map(({ name }) => name);
  const places = all.filter(({ path }) => !isNamed(path, namesSpared) && !isForbidden(path, names));
  const { wished, rest } = workOf(wishes, places);
  const before = input.existing?.content ?? "";
  const isOut = ({ text, message }: Pick<Statement, "text" | "message">) => {
    const later = spared.filter(({ seq }) => message === null || seq >= message).map(({ name }) => name);
    if (later.length === 0) return false;
    const meant = placesMeant(text);
    if (meant.paths.length > 0) return meant.paths.every((path) => isForbidden(path, later));
    if (meant.spared.length > 0 && meant.symbols.length === 0) return true;
    return meant.symbols.length > 0 && meant.symbols.every((symbol) => stoodIn(before, symbol, later));
  };
  return {
    places: rest,
    wished,
    isBound: (statement) => statement.message !== null && isOut(statement),
    forbiddenIn: ({ text, message }) => {
      const ordered = forbidsPlaces(text) ? placesMeant(text).forbidden : [];
      const isHere = (one: ForbiddenPlace) =>
        one.seq === message && (one.item === null ? ordered.includes(one.ordered) : one.item.includes(text));
      return forbidden.places.filter(isHere).map(({ name }) => name);
    },
    isLifted: ({ text, message }) => {
      const ordered = forbidsPlaces(text) ? placesMeant(text).forbidden : [];
      const isFree = (name: string) => forbidden.lifted.some((one) => one.seq === message && one.ordered === name);
      return ordered.length > 0 && ordered.every(isFree);
    },
    put: [...new Set(forbidden.put)].filter((path) => isNewFile(path) && !isForbidden(path, names)),
    testsStay: names.some((name) => namesLeft(name).length > 0) || isForbidden("test/any.test.ts", names),
    changes: spared.flatMap(({ name, seq }) => {
      const because = `message ${seq}`;
      const out = wishes.filter(
        (wish) => wish.seq < seq && isOut({ text: contentOf(input, wish.seq), message: wish.seq }),
      );
      const parts = [
        ...(namesLeft(name).length > 0 ? [] : [name]),
        ...tasksAt(before, name),
        ...scenariosFor(before, out),
      ];
      return parts.map((part) => ({ part, because }));
    }),
  };
}

/** A file within the repository, by its name. */
function isNewFile(path: string): boolean {
  return /^[\w@+-][\w@+./-]*\.[A-Za-z]\w{0,5}$/.test(path) && !path.includes("..") && !path.includes("//");
}

function contentOf({ messages }: SpecInput, seq: number): string {
  return messages.find((one) => one.seq === seq)?.content ?? "";
}

/** Whether a version names this symbol at one of these files. */
function stoodIn(markdown: string, symbol: string, files: readonly string[]): boolean {
  const found = markdown.matchAll(new RegExp(`\`${escapeRegExp(symbol)}\` \\(\`([^\`\\n]+?)(?::[\\d-]+)?\``, "g"));
  const paths = [...found].map(([, path = ""]) => path);
  return paths.length > 0 && paths.every((path) => isNamed(path, files));
}

/** The tasks of a version that touch this file. */
function tasksAt(markdown: string, name: string): string[] {
  if (markdown === "") return [];
  const { tasks } = parseSpec(markdown);
  return tasks.flatMap(({ task, touchPoints }) =>
    touchPoints.some(({ path }) => isForbidden(path, [name])) ? [task] : [],
  );
}

/** The names of the scenarios that a version has for these wishes. */
function scenariosFor(markdown: string, wishes: readonly { seq: number }[]): string[] {
  if (wishes.length === 0) return [];
  const { requirements, looseScenarios } = parseSpec(markdown);
  return [...requirements.flatMap(({ scenarios }) => scenarios), ...looseScenarios]
    .filter(({ steps }) => wishes.some(({ seq }) => steps.some(({ text }) => text.endsWith(`(message ${seq})`))))
    .map(({ name }) => name);
}

function workOf(
  wishes: readonly WishedPlaces[],
  places: readonly Place[],
): { wished: Map<number, WishedWork>; rest: Place[] } {
  const isWished = (place: Place) => wishes.some((wish) => namedBy(wish, places).includes(place));
  const main = places.find((place) => isCodePlace(place) && !isWished(place)) ?? places.find(isCodePlace);
  const wished = new Map<number, WishedWork>();
  const taken = new Set<Place>(main === undefined ? [] : [main]);
  for (const wish of wishes) {
    const named = namedBy(wish, places).filter((place) => !taken.has(place) && place.role !== "test");
    const [first] = named;
    if (first === undefined) continue;
    const test = places.find((place) => place.role === "test" && isTestOf(place, first)) ?? null;
    for (const place of named) taken.add(place);
    wished.set(wish.seq, { places: named, test });
  }
  const own = new Set([...wished.values()].flatMap((work) => work.places));
  const theirs = new Set([...wished.values()].map(({ test }) => test));
  // The test of the first place comes before those of what was wished for later.
  const rank = (place: Place) => Number(theirs.has(place) && (main === undefined || !isTestOf(place, main)));
  return { wished, rest: places.filter((place) => !own.has(place)).toSorted((a, b) => rank(a) - rank(b)) };
}

export function isCodePlace({ role }: Place): boolean {
  return role !== "test" && role !== "docs";
}

/** The places that a wish names: by their symbols in the files that it names, else by these, else by their symbols. */
function namedBy({ paths, symbols }: PlacesMeant, all: readonly Place[]): Place[] {
  const inFiles = all.filter(({ path }) => isNamed(path, paths));
  const bySymbol = (places: readonly Place[]) =>
    places.filter(({ symbol, tie }) => symbol !== null && tie !== "words" && symbols.includes(symbol));
  if (inFiles.length === 0) return bySymbol(all);
  const exact = bySymbol(inFiles);
  return exact.length > 0 ? exact : inFiles;
}

/** By name: `test_cart.py`, `cart.test.ts`, `CartTest.java` are tests of `cart`. */
function isTestOf(test: Place, { path }: Place): boolean {
  const stem = (/([^/]+?)\.[^/.]+$/.exec(path)?.[1] ?? path).toLowerCase();
  const name = test.path.slice(test.path.lastIndexOf("/") + 1).toLowerCase();
  return name
    .replace(/\.[^.]+$/, "")
    .replaceAll(/(?:^test|tests?$|spec$)|[_.-](?=tests?$|spec$)/g, "")
    .replaceAll(/^[_.-]|[_.-]$/g, "")
    .includes(stem);
}
