import { escapeRegExp } from "../../../lib/text.ts";
import { assignedSecrets } from "./assignments.ts";
import { decoded, joined } from "./disguised.ts";
import { SHAPES, type SecretShape, TOKENS } from "./provider-shapes.ts";

/** Replaces a secret. */
export const SECRET_REMOVED = "[secret removed]";

export interface SecretOptions {
  /** Whether passwords count that only their place gives away: `password = hunter2`, `https://ann:hunter2@…`. True by default. */
  passwords?: boolean;
  /** Values that are known to be secret; those of fewer than six signs stand in many texts by chance, and are ignored. */
  known?: readonly string[];
}

const SHORTEST_VALUE = 6;
const SECRET_NAME = /KEY|TOKEN|SECRET|PASS(?:WORD|WD|PHRASE)|CREDENTIAL/i;

/** The values of variables whose names say that they hold a secret. */
export function secretVariables(environment: Readonly<Record<string, string>>): string[] {
  return Object.entries(environment).flatMap(([name, value]) => (SECRET_NAME.test(name) ? [value.trim()] : []));
}

/**
 * Replaces credentials (R-SAFE-2, R-SAFE-7): those of known shapes, also encoded, in several literals or backwards, and
 * values assigned to the name of a secret. `found` lists their kinds, never their values. Linear in the text.
 */
export function removeSecrets(
  text: string,
  { passwords = true, known = [] }: SecretOptions = {},
): { text: string; found: string[] } {
  const found = new Set<string>();
  let clean = text;
  const values = shapesOf(known);
  const shapes = [...values, ...(passwords ? SHAPES : SHAPES.filter(({ isPassword }) => isPassword !== true))];
  for (const shape of shapes) {
    const next = withoutShape(clean, shape);
    if (next !== clean) found.add(shape.name);
    clean = next;
  }
  const remove = (name: string, spans: readonly Span[]): void => {
    if (spans.length > 0) found.add(name);
    clean = withoutSpans(clean, spans);
  };
  if (passwords) remove("assigned secret", assignedSecrets(clean));
  remove(
    "encoded secret",
    decoded(clean).filter(({ plain }) => holdsSecret(plain, shapes, passwords)),
  );
  remove("secret in several literals", acrossSeams(clean, shapes));
  remove("secret written backwards", backwards(clean, [...values, ...TOKENS]));
  return { text: clean, found: [...found] };
}

function shapesOf(values: readonly string[]): SecretShape[] {
  return values
    .filter(({ length }) => length >= SHORTEST_VALUE)
    .map((value) => ({ name: "known secret", pattern: new RegExp(escapeRegExp(value), "g"), marks: [value] }));
}

interface Span {
  start: number;
  end: number;
}

function withoutShape(text: string, { pattern, marks }: SecretShape): string {
  if (marks !== undefined && !marks.some((mark) => text.includes(mark))) return text;
  return text.replaceAll(pattern, (whole: string, ...rest: unknown[]) => {
    const groups = rest.at(-1);
    const secret = typeof groups === "object" && groups !== null ? Reflect.get(groups, "secret") : undefined;
    return typeof secret === "string" ? whole.replace(secret, () => SECRET_REMOVED) : SECRET_REMOVED;
  });
}

function holdsSecret(text: string, shapes: readonly SecretShape[], passwords: boolean): boolean {
  return shapes.some((shape) => withoutShape(text, shape) !== text) || (passwords && assignedSecrets(text).length > 0);
}

/** Secrets of known shapes that only show once literals are put together. */
function acrossSeams(text: string, shapes: readonly SecretShape[]): Span[] {
  return joined(text).flatMap(({ plain, positions }) =>
    placesOf(plain, shapes).flatMap(({ start, end }) => {
      const [first, last] = [positions[start], positions[end - 1]];
      const isAcross = first !== undefined && last !== undefined && last - first > end - 1 - start;
      return isAcross ? [{ start: first, end: last + 1 }] : [];
    }),
  );
}

function backwards(text: string, tokens: readonly SecretShape[]): Span[] {
  const shapes = tokens.filter(({ marks }) => marks?.some((mark) => text.includes(turned(mark))));
  if (shapes.length === 0) return [];
  return placesOf(turned(text), shapes).map(({ start, end }) => ({
    start: text.length - end,
    end: text.length - start,
  }));
}

/** Two bytes a sign: much faster than by characters. */
function turned(text: string): string {
  const bytes = Buffer.from(text, "utf16le").swap16();
  return Buffer.from(bytes.toReversed()).toString("utf16le");
}

function placesOf(text: string, shapes: readonly SecretShape[]): Span[] {
  return shapes
    .filter(({ marks }) => marks === undefined || marks.some((mark) => text.includes(mark)))
    .flatMap(({ pattern }) =>
      [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ start: index, end: index + found.length })),
    );
}

function withoutSpans(text: string, spans: readonly Span[]): string {
  let clean = "";
  let at = 0;
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    if (start < at) continue;
    clean += `${text.slice(at, start)}${SECRET_REMOVED}`;
    at = end;
  }
  return clean + text.slice(at);
}
