import { shared, significantWords } from "../../domain/text/significant-words.ts";
import { type Unit, meaningOf } from "./units.ts";

/** Words of two texts that make one a version of the other. */
const ALIKE = 0.4;

/** The older unit of each new one that is a version of it: the same words first, then the same name, then like words. */
export function partnersOf(older: readonly Unit[], fresh: readonly Unit[]): Map<Unit, Unit> {
  const partners = new Map<Unit, Unit>();
  const taken = new Set<Unit>();
  const keys: ((unit: Unit) => string)[] = [
    ({ kind, parent, text }) => JSON.stringify([kind, meaningOf(parent), withoutNumber(text)]),
    ({ kind, text }) => JSON.stringify([kind, withoutNumber(text)]),
    ({ kind, parent, name }) => JSON.stringify([kind, meaningOf(parent), meaningOf(name)]),
    ({ kind, name }) => JSON.stringify([kind, meaningOf(name)]),
  ];
  const pair = (now: Unit, old: Unit) => {
    partners.set(now, old);
    taken.add(old);
  };
  for (const keyOf of keys) {
    const waiting = Map.groupBy(
      older.filter((old) => !taken.has(old)),
      keyOf,
    );
    for (const now of fresh) {
      const old = partners.has(now) ? undefined : waiting.get(keyOf(now))?.shift();
      if (old !== undefined) pair(now, old);
    }
  }
  const words = new Map([...older, ...fresh].map((unit) => [unit, significantWords(unit.text)]));
  const close = fresh
    .filter((now) => !partners.has(now) && now.kind !== "label")
    .flatMap((now) =>
      older
        .filter((old) => !taken.has(old) && old.kind === now.kind)
        .map((old) => ({ now, old, alike: likeness(words.get(old), words.get(now)) })),
    )
    .filter(({ alike }) => alike >= ALIKE)
    .toSorted((a, b) => b.alike - a.alike);
  for (const { now, old } of close) if (!partners.has(now) && !taken.has(old)) pair(now, old);
  return partners;
}

/** What has no partner and stands in each other's place, as far as one may replace the other. */
export function withReplacements(
  older: readonly Unit[],
  fresh: readonly Unit[],
  partners: ReadonlyMap<Unit, Unit>,
  mayReplace: (old: Unit, now: Unit) => boolean,
): ReadonlyMap<Unit, Unit> {
  const matched = new Set(partners.values());
  const places = new Map(
    inPlaces(older, (old) => (matched.has(old) ? old : undefined)).map(([old, place]) => [place, old]),
  );
  const replaced = inPlaces(fresh, (now) => partners.get(now)).flatMap(([now, place]) => {
    const old = places.get(place);
    return old !== undefined && now.kind !== "label" && mayReplace(old, now) ? [[now, old] as const] : [];
  });
  return new Map([...partners, ...replaced]);
}

/** Those without a partner, each with its place: what it comes after, and which one of its kind it is there. */
function inPlaces(units: readonly Unit[], partnerOf: (unit: Unit) => Unit | undefined): [Unit, string][] {
  let after = "";
  let kinds: string[] = [];
  return units.flatMap((unit): [Unit, string][] => {
    const partner = partnerOf(unit);
    if (partner !== undefined) {
      [after, kinds] = [String(partner.line), []];
      return [];
    }
    kinds.push(unit.kind);
    return [[unit, [after, unit.kind, kinds.filter((kind) => kind === unit.kind).length].join(" ")]];
  });
}

function likeness(a: ReadonlySet<string> = new Set(), b: ReadonlySet<string> = new Set()): number {
  return a.size + b.size === 0 ? 0 : (2 * shared(a, b)) / (a.size + b.size);
}

/** A row without the number that it has in its table. */
function withoutNumber(text: string): string {
  return meaningOf(text).replace(/^\d+\|/, "");
}

/**
 * Both versions in the order of the older one, each new entry behind the one that it follows. `holds` says whether an older
 * entry and the one before it let nothing like the new one between them.
 */
export function merged<T>(
  older: readonly T[],
  fresh: readonly T[],
  partners: ReadonlyMap<T, T>,
  holds: (next: T, fresh: T) => boolean,
): [T | null, T | null][] {
  const behind = new Map<number, T[]>();
  let at = -1;
  for (const now of fresh) {
    const old = partners.get(now);
    if (old !== undefined) {
      at = older.indexOf(old);
      continue;
    }
    for (let next = older[at + 1]; next !== undefined && holds(next, now); next = older[at + 1]) at += 1;
    behind.set(at, [...(behind.get(at) ?? []), now]);
  }
  const versions = new Map([...partners].map(([now, old]) => [old, now]));
  const newAt = (index: number) => (behind.get(index) ?? []).map((now): [T | null, T | null] => [null, now]);
  return [
    ...newAt(-1),
    ...older.flatMap((old, index) => [[old, versions.get(old) ?? null] as [T | null, T | null], ...newAt(index)]),
  ];
}
