import { expect, test } from "vitest";
import { loadedGrammar, parsed } from "./parser.ts";
import { Patterns } from "./patterns.ts";

const { language, parser } = await loadedGrammar("python");

/** What each match captures, and the number of its pattern. */
function found(patterns: string, text: string, late = () => false): string[] | null {
  const tree = parsed(parser, text, () => false);
  if (tree === null) throw new Error("not parsed");
  const matches = new Patterns(patterns, language).matches(tree.rootNode, text, late);
  return (
    matches?.map(({ pattern, captures }) =>
      [pattern, ...captures.map(({ name, node }) => `${name} ${node.text.split("\n")[0]}`)].join(" "),
    ) ?? null
  );
}

const TEXT = "@cached\n@logged\ndef total(cart, rate=2):\n  pass\n\nclass Cart:\n  pass\n";

test("a pattern is found once for each child that fits, and by each pattern that fits", () => {
  expect(found("(decorated_definition (decorator) @lead)", TEXT)).toEqual(["0 lead @cached", "0 lead @logged"]);
  expect(found("(function_definition name: (_) @name)\n(function_definition body: (block) @b)", TEXT)).toEqual([
    "0 name total",
    "1 b pass",
  ]);
});

test("children fit in the order of the pattern, fields and literals by their names", () => {
  const parameters = (inner: string) => found(`(parameters ${inner})`, TEXT);
  expect(parameters("(identifier) @a (default_parameter) @b")).toEqual(["0 a cart b rate=2"]);
  expect(parameters("(default_parameter) @b (identifier) @a")).toEqual([]);
  expect(parameters(". (identifier) @a")).toEqual(["0 a cart"]);
  expect(parameters(". (default_parameter) @a")).toEqual([]);
  expect(parameters(`"," @a`)).toEqual(["0 a ,"]);
  expect(parameters(`[(identifier) (default_parameter name: (_) @n)] @a`)).toEqual(["0 a cart", "0 a rate=2 n rate"]);
  expect(found("(class_definition !superclasses name: (_) @name)", TEXT)).toEqual(["0 name Cart"]);
  expect(found("(function_definition !parameters)", TEXT)).toEqual([]);
});

test("conditions compare the text of what they name", () => {
  expect(found(`(default_parameter name: (_) @a (#eq? @a "rate"))`, TEXT)).toEqual(["0 a rate"]);
  expect(found(`(class_definition name: (_) @a (#match? @a "^[A-Z]"))`, TEXT)).toEqual(["0 a Cart"]);
  expect(found(`(class_definition name: (_) @a (#match? @a "^[a-z]"))`, TEXT)).toEqual([]);
});

test("what no pattern may have is told, and time that is up gives nothing", () => {
  expect(() => found("(function_defn)", TEXT)).toThrow("the grammar has no function_defn");
  expect(() => found("(block (_)+)", TEXT)).toThrow("no pattern: +)");
  expect(() => found("(block (_) . (_))", TEXT)).toThrow("before its first child only");
  expect(() => found("(block (#is? local))", TEXT)).toThrow("no pattern has #is?");
  expect(() => found("(block", TEXT)).toThrow("a pattern is not closed");
  expect(found("(block)", TEXT, () => true)).toBeNull();
});
