import { assert, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { definitionOn } from "./line-definitions.ts";

describe("lines that define something", () => {
  test.each([
    ["export async function readCart(id: string) {", "readCart"],
    ["    def cached_eval(config, expr, d):", "cached_eval"],
    ["class TreeTypeAdapter<T> extends TypeAdapter<T> {", "TreeTypeAdapter"],
    ["pub(crate) async fn try_reserve<T>(&self) -> Result<()> {", "try_reserve"],
    ["func (s *Server) Listen(addr string) error {", "Listen"],
    ["func NewServer() *Server {", "NewServer"],
    ["  public static <T> List<T> parse(String text) {", "parse"],
    ["  @Override public void write(JsonWriter out, T value) throws IOException {", null],
    ["  private boolean isNull(Object value) {", "isNull"],
    ["  async load(key) {", "load"],
    ["const total = (items) => items.length;", "total"],
    ["exports.handler = async function (event) {", "handler"],
    ["  transformRequest: function (data) {", "transformRequest"],
    ["interface Cart {", "Cart"],
    ["impl Drop for Permit {", "Drop"],
    ["macro_rules! pin {", "pin"],
    ["MAX_SIZE = 100", "MAX_SIZE"],
    ["static int parse_line(char *line)", "parse_line"],
    ["fun String.shout(): String {", "String"],
    ["  def self.call(env)", "call"],
    ["  if (total > 3) {", null],
    ["  return compute(a, b) {", null],
    ["  compute(a, b);", null],
    ["// function old() {", null],
    ["  } else if (x) {", null],
    ["  setTimeout(function () {", null],
    ["", null],
  ])("%s", (line, name) => {
    expect(definitionOn(line)?.name ?? null).toBe(name);
  });

  test("any line is answered", () => {
    assert(
      property(string({ maxLength: 600 }), (line) => {
        expect(definitionOn(line)?.name).not.toBe("");
      }),
    );
    for (const line of ["a".repeat(399), "a ".repeat(199), `${"public ".repeat(50)}x(`]) {
      expect(definitionOn(line)).toBeNull();
    }
  });
});
