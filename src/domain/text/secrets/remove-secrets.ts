import { ownSecrets, secretsHere } from "../../../lib/own-secrets.ts";
import { escapeRegExp } from "../../../lib/text.ts";
import { assignedSecrets } from "./assignments.ts";
import { type Disguise, decoded, joined, wrapped } from "./disguised.ts";
import { GITLEAKS } from "./gitleaks.ts";
import { TOKENS } from "./provider-beginnings.ts";
import { SHAPES } from "./provider-shapes.ts";
import type { SecretShape } from "./secret-shape.ts";

/** Replaces a secret. */
export const SECRET_REMOVED = "[secret removed]";

export interface SecretOptions {
  /** Whether passwords count that only their place gives away: `password = hunter2`, `https://ann:hunter2@…`. True by default. */
  passwords?: boolean;
  /** Values that are known to be secret, beside those of Relay's configuration and of the repository's protected files; those of fewer than six signs stand in many texts by chance, and are ignored. */
  known?: readonly string[];
  /** Whether the values of the repository at hand count; true by default. */
  here?: boolean;
}

const SHORTEST_VALUE = 6;
const SECRET_NAME = /KEY|TOKEN|SECRET|PASS(?:WORD|WD|PHRASE)|CREDENTIAL/i;
/** It says where a secret is, or whose. */
const ABOUT_SECRET = /_(?:FILE|PATH|DIR|URL|ID|NAME)$/i;

/** The values of variables whose names say that they hold a secret. */
export function secretVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.entries(environment).flatMap(([name, value = ""]) =>
    SECRET_NAME.test(name) && !ABOUT_SECRET.test(name) ? [value.trim()] : [],
  );
}

const USUAL: readonly SecretShape[] = [...SHAPES, ...GITLEAKS];

/**
 * Replaces credentials (R-SAFE-2, R-SAFE-3, R-SAFE-7): those of known shapes, values assigned to the name of a secret,
 * Relay's own, and those of the repository that it works on, also encoded, in several literals or lines, or backwards.
 * `found` lists their kinds, never their values. Linear in the text.
 */
export function removeSecrets(
  text: string,
  { passwords = true, known = [], here = true }: SecretOptions = {},
): { text: string; found: string[] } {
  const found = new Set<string>();
  let clean = text;
  const values = [...shapesOf([...ownSecrets(), ...known]), ...(here ? shapesHere() : [])];
  const shapes = [...values, ...(passwords ? USUAL : USUAL.filter(({ isPassword }) => isPassword !== true))];
  const glance = glanceAt(text);
  // With the whole token that one may stand in, which has no known shape without it.
  const own = values.flatMap((shape) => placesOf(clean, shape, glance));
  if (own.length > 0) {
    const around = shapes
      .flatMap((shape) => placesOf(clean, shape, glance))
      .filter(({ start, end }) => own.some((place) => start < place.end && place.start < end));
    found.add("known secret");
    clean = withoutSpans(clean, around);
  }
  for (const shape of shapes) {
    const next = withoutShape(clean, shape, glance);
    if (next !== clean) found.add(shape.name);
    clean = next;
  }
  const remove = (name: string, spans: readonly Span[]): void => {
    if (spans.length > 0) found.add(name);
    clean = withoutSpans(clean, spans);
  };
  // Before what is assigned: of a token on two lines, that is the first line only.
  remove("secret in several lines", acrossSeams(wrapped(clean), [...values, ...TOKENS]));
  if (passwords) remove("assigned secret", assignedSecrets(clean));
  remove(
    "encoded secret",
    decoded(clean).filter(({ plain }) => holdsSecret(plain, shapes, passwords)),
  );
  remove("secret in several literals", acrossSeams(joined(clean), shapes));
  remove("secret written backwards", backwards(clean, [...values, ...TOKENS], glance));
  return { text: clean, found: [...found] };
}

function shapesOf(values: readonly string[]): SecretShape[] {
  return values
    .filter(({ length }) => length >= SHORTEST_VALUE)
    .map((value) => ({ name: "known secret", pattern: new RegExp(escapeRegExp(value), "g"), marks: [value] }));
}

/** In signs: a shorter value of a repository counts only as a word of its own. */
const SHORTEST_PART = 12;
const COMPILED = new WeakMap<readonly string[], SecretShape[]>();

/** Those of the repository at hand, compiled once. */
function shapesHere(): SecretShape[] {
  const values = secretsHere();
  const known = COMPILED.get(values);
  if (known !== undefined) return known;
  const shapes = shapesOf(values).map((shape) => {
    const { source } = shape.pattern;
    const isPart = (shape.marks?.[0] ?? "").length >= SHORTEST_PART;
    return isPart ? shape : { ...shape, pattern: new RegExp(`(?<![A-Za-z0-9])${source}(?![A-Za-z0-9])`, "g") };
  });
  COMPILED.set(values, shapes);
  return shapes;
}

interface Span {
  start: number;
  end: number;
}

/** A text in small letters, and which three signs stand beside each other in it: most texts hold hardly any mark. */
interface Glance {
  small: string;
  grams: Uint8Array;
}

const FEWEST_GRAMS = 1 << 10;
const MOST_GRAMS = 1 << 16;

function glanceAt(text: string): Glance {
  const small = text.toLowerCase();
  // Most texts are short, and many are read.
  let size = FEWEST_GRAMS;
  while (size < MOST_GRAMS && size < small.length * 8) size *= 2;
  const grams = new Uint8Array(size);
  for (let at = 2; at < small.length; at += 1) grams[gramAt(small, at) & (size - 1)] = 1;
  return { small, grams };
}

/** Of the three signs that end there. */
function gramAt(text: string, at: number): number {
  return (text.charCodeAt(at - 2) * 961 + text.charCodeAt(at - 1)) * 31 + text.charCodeAt(at);
}

function mayHold(word: string, { grams }: Glance): boolean {
  return word.length < 3 || grams[gramAt(word.slice(0, 3).toLowerCase(), 2) & (grams.length - 1)] === 1;
}

function isAbsent({ marks, keywords }: SecretShape, text: string, glance: Glance): boolean {
  if (marks !== undefined && !marks.some((mark) => mayHold(mark, glance) && text.includes(mark))) return true;
  return (
    keywords !== undefined &&
    keywords.length > 0 &&
    !keywords.some((word) => mayHold(word, glance) && glance.small.includes(word))
  );
}

/** Where secrets of a shape stand; `glance`: at this text, or one that it was cut from. */
function placesOf(text: string, shape: SecretShape, glance: Glance): Span[] {
  if (isAbsent(shape, text, glance)) return [];
  return [...text.matchAll(shape.pattern)].flatMap(({ 0: whole, index, groups }) => {
    const secret = groups?.["secret"] ?? whole;
    if (shape.fits?.(secret) === false) return [];
    const start = index + whole.indexOf(secret);
    return [{ start, end: start + secret.length }];
  });
}

function withoutShape(text: string, shape: SecretShape, glance: Glance): string {
  const places = placesOf(text, shape, glance);
  return places.length === 0 ? text : withoutSpans(text, places);
}

/** How often what is encoded is decoded again. */
const MOST_LAYERS = 3;

function holdsSecret(text: string, shapes: readonly SecretShape[], passwords: boolean, layer = 1): boolean {
  const glance = glanceAt(text);
  if (shapes.some((shape) => placesOf(text, shape, glance).length > 0)) return true;
  if (passwords && assignedSecrets(text).length > 0) return true;
  return (
    layer < MOST_LAYERS && decoded(text).some(({ plain }: Disguise) => holdsSecret(plain, shapes, passwords, layer + 1))
  );
}

/** Secrets of known shapes that only show once the parts of a text are put together. */
function acrossSeams(parts: readonly { plain: string; positions: number[] }[], shapes: readonly SecretShape[]): Span[] {
  return parts.flatMap(({ plain, positions }) => {
    const glance = glanceAt(plain);
    return shapes
      .flatMap((shape) => placesOf(plain, shape, glance))
      .flatMap(({ start, end }) => {
        const [first, last] = [positions[start], positions[end - 1]];
        const isAcross = first !== undefined && last !== undefined && last - first > end - 1 - start;
        return isAcross ? [{ start: first, end: last + 1 }] : [];
      });
  });
}

function backwards(text: string, tokens: readonly SecretShape[], glance: Glance): Span[] {
  const shapes = tokens.filter((shape) =>
    turnedMarks(shape).some((mark) => mayHold(mark, glance) && text.includes(mark)),
  );
  if (shapes.length === 0) return [];
  const plain = turned(text);
  const there = glanceAt(plain);
  return shapes
    .flatMap((shape) => placesOf(plain, shape, there))
    .map(({ start, end }) => ({ start: text.length - end, end: text.length - start }));
}

const TURNED = new WeakMap<SecretShape, readonly string[]>();

function turnedMarks(shape: SecretShape): readonly string[] {
  const known = TURNED.get(shape) ?? (shape.marks ?? []).map(turned);
  TURNED.set(shape, known);
  return known;
}

/** Two bytes a sign: much faster than by characters. */
function turned(text: string): string {
  const bytes = Buffer.from(text, "utf16le").swap16();
  return Buffer.from(bytes.toReversed()).toString("utf16le");
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  let clean = "";
  let at = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start >= at) clean += `${text.slice(at, start)}${SECRET_REMOVED}`;
    at = Math.max(at, end);
  }
  return clean + text.slice(at);
}
