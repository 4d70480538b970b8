import { assert, constantFrom, property, string, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { eachDefinition } from "./definitions.ts";

function definedIn(text: string): string[] {
  const bytes = Buffer.from(text);
  const names: string[] = [];
  eachDefinition(bytes, (start, end) => names.push(bytes.toString("utf8", start, end)));
  return names;
}

test.each([
  ["export async function loadCart(id) {", "loadCart"],
  ["function* pages() {", "pages"],
  ["  static async create(options) {", "create"],
  ["export const total = (items) => items.length;", "total"],
  ["const LIMIT = 5;", "LIMIT"],
  ["exports.parse = function (text) {", "parse"],
  ["  render: function () {", "render"],
  ["Foo.prototype.bar = function () {", "bar"],
  ["export default class Cart extends Base {", "Cart"],
  ["def apply(self, price):", "apply"],
  ["    async def run(self):", "run"],
  ["MAX_SIZE = 10", "MAX_SIZE"],
  ["func (s *Server) Serve(l net.Listener) error {", "Serve"],
  ["type Handler interface {", "Handler"],
  ["pub(crate) fn poll_recv(&mut self) -> Poll<T> {", "poll_recv"],
  ["impl<T> Drop for Guard<T> {", "Drop"],
  ["macro_rules! ready {", "ready"],
  ["  public static <T> List<T> of(T item) {", "of"],
  ["    long[] integerValues(Calendar calendar) {", "integerValues"],
  ["static void *pool_alloc(size_t n) {", "pool_alloc"],
  ["void Cart::add(Item item) {", "add"],
  ["  def self.parse(text)", "parse"],
  ["fun total(items: List<Item>): Int {", "total"],
])("%s", (line, name) => {
  expect(definedIn(line)).toContain(name);
});

test.each([
  "if (total > 5) {",
  "return total(items);",
  "  total(items);",
  "  await render(page, {",
  "describe('cart', () => {",
  "foo(function () {",
  "defer file.Close()",
  "  let inner = 5;",
  "// function gone() {",
  "raise ValueError(message)",
  "import { total } from './total';",
])("%s defines nothing", (line) => {
  expect(definedIn(line)).toEqual([]);
});

test("any bytes are read to the end", () => {
  assert(
    property(uint8Array({ maxLength: 400 }), (bytes) => {
      eachDefinition(bytes, (start, end) => {
        expect(start).toBeGreaterThanOrEqual(0);
        expect(end).toBeGreaterThan(start);
        expect(end).toBeLessThanOrEqual(bytes.length);
      });
    }),
  );
});

test("a line that is cut within brackets ends there", () => {
  const text = string({ unit: constantFrom("(", ")", "<", "[", "]", " ", "a"), maxLength: 8 });
  assert(
    property(constantFrom("int", "func", "type", "pub"), text, text, (word, tail, after) => {
      // The last bytes that are read of a line, and the first that are not.
      const read = `${word} ${"x".repeat(239 - word.length - tail.length)}${tail}`;
      for (const name of definedIn(`${read}${after}`)) expect(name).not.toBe("");
    }),
  );
  expect(definedIn(`${"x".repeat(240)}[1]`)).toEqual([]);
});
