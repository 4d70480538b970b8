import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { definitionTermOf, eachTerm, termsOf } from "./terms.ts";

function spelled(text: string): string[] {
  const bytes = Buffer.from(text);
  const found: string[] = [];
  eachTerm(bytes, 0, bytes.length, (_, start, end) => found.push(bytes.toString("utf8", start, end)));
  return found;
}

const shares = (a: string, b: string) => [...termsOf(a)].some((term) => termsOf(b).has(term));

describe("the terms of a text", () => {
  test.each([
    ["cartTotal", ["cart", "Total", "cartTotal"]],
    ["HTTPServer", ["HTTP", "Server", "HTTPServer"]],
    ["snake_case_name", ["snake", "case", "name", "snake_case_name"]],
    ["utf8Text", ["utf8", "Text", "utf8Text"]],
    ["$scope", ["scope"]],
    ["a b cd", ["cd"]],
    ["заголовок", ["заголовок"]],
    ["x".repeat(61), []],
  ])("%s", (text, terms) => {
    expect(spelled(text)).toEqual(terms);
  });

  test("are the same in any case and with the commonest endings", () => {
    for (const [a, b] of [
      ["Render", "rendering"],
      ["transition", "transitions"],
      ["configure", "configured"],
      ["validation", "validations"],
      ["CartTotal", "carttotal"],
    ]) {
      expect(shares(a ?? "", b ?? "")).toBe(true);
    }
    expect(shares("class", "clas")).toBe(false);
    expect(shares("cart", "card")).toBe(false);
  });

  test("of a part of a text are those of the whole, whatever the text", () => {
    assert(
      property(string({ unit: "binary" }), string({ unit: "binary" }), (a, b) => {
        const all = termsOf(`${a} ${b}`);
        for (const term of [...termsOf(a), ...termsOf(b)]) expect(all.has(term)).toBe(true);
      }),
    );
  });

  test("a definition's name is no word", () => {
    expect(termsOf("total").has(definitionTermOf("total"))).toBe(false);
    expect(definitionTermOf("cartTotal")).toBe(definitionTermOf("CARTTOTAL"));
  });
});
