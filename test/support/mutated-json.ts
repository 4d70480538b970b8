import { type Arbitrary, anything, constant, constantFrom, nat, oneof, record, string, tuple } from "fast-check";

/** A JSON object with one to three of its places taken away or replaced by something else. */
export function mutatedJson(value: unknown): Arbitrary<unknown> {
  const [, ...places] = placesIn(value);
  const mutation = record({
    place: constantFrom(...places),
    instead: oneof(
      constant(undefined),
      constantFrom(
        null,
        0,
        -1,
        1e308,
        "",
        "x",
        true,
        [],
        {},
        "\0",
        "\ud800",
        "9999-12-31T23:59:59-14:00",
        "constructor",
      ),
      anything({ maxDepth: 2, withBigInt: false }),
      string({ minLength: 1, maxLength: 50 }),
      nat(),
    ),
  });
  return tuple(mutation, mutation, mutation, nat(2)).map(([a, b, c, more]) =>
    [a, b, c]
      .slice(0, more + 1)
      .reduce<unknown>((changed, { place, instead }) => replaceAt(changed, place, instead), value),
  );
}

function placesIn(value: unknown, path: string[] = []): string[][] {
  if (typeof value !== "object" || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...path, key]))];
}

function replaceAt(value: unknown, path: string[], instead: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined) return instead;
  if (Array.isArray(value))
    return value.map((item: unknown, index) => (String(index) === first ? replaceAt(item, rest, instead) : item));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === first ? replaceAt(inner, rest, instead) : inner]),
  );
}
