import { array, assert, constantFrom, nat, property, record, stringMatching } from "fast-check";
import { expect, test } from "vitest";
import { nextPage } from "./link.ts";

const asked = new URL("https://api.example/v3/items?page=1");

test.each([
  [null, null],
  ["", null],
  ['<https://api.example/v3/items?page=2>; rel="next"', "https://api.example/v3/items?page=2"],
  ["<https://api.example/2>; rel=next", "https://api.example/2"],
  ['<https://api.example/1>; rel="prev", <https://api.example/3>; rel="next"', "https://api.example/3"],
  ['<https://api.example/1>; rel="prev",<https://api.example/3>;rel="next"', "https://api.example/3"],
  ['<https://api.example/a,b;c>; rel="next"', "https://api.example/a,b;c"],
  ['<https://api.example/1>; title="a, <x>; rel=\\"next\\""; rel="last"', null],
  ['<https://api.example/2>; rel="last next"', "https://api.example/2"],
  ['<https://api.example/2>; REL="NEXT"', "https://api.example/2"],
  ['<https://api.example/2>; rel="last"; rel="next"', null],
  ['<https://api.example/2>; rel="nextpage"', null],
  ['<?page=2>; rel="next"', "https://api.example/v3/items?page=2"],
  ["<https://api.example/2>", null],
  ['https://api.example/2; rel="next"', null],
])("%s", (header, expected) => {
  expect(nextPage(header, asked)).toBe(expected);
});

test("the next page is found among any other links, in any order", () => {
  const link = record({
    path: stringMatching(/^[a-z0-9,;=&?]{0,12}$/),
    rel: constantFrom("prev", "last", "first", "alternate"),
    title: stringMatching(/^[a-z ,;<>=]{0,12}$/),
  });
  assert(
    property(array(link, { maxLength: 5 }), nat(5), (others, position) => {
      const links = others.map(
        ({ path, rel, title }) => `<https://api.example/${path}>; title="${title}"; rel="${rel}"`,
      );
      expect(nextPage(links.join(", "), asked)).toBeNull();
      links.splice(position, 0, '<https://api.example/next>; rel="next"');
      expect(nextPage(links.join(", "), asked)).toBe("https://api.example/next");
    }),
  );
});

test("no header makes it fail", () => {
  const parts = constantFrom("<", ">", '"', ";", ",", "=", "rel", "next", " ", "\\", "https://x", "é");
  assert(
    property(
      array(parts).map((each) => each.join("")),
      (header) => {
        const found = nextPage(header, asked);
        expect(found === null || URL.canParse(found)).toBe(true);
      },
    ),
  );
});
