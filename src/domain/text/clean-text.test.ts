import { assert, property, string } from "fast-check";
import { expect, test } from "vitest";
import { keptCode, keptJson, keptText } from "./clean-text.ts";

const TOKEN = `ghp_${"a1".repeat(18)}`;

test("what is kept holds neither secrets nor hidden text", () => {
  expect(keptText(`It uses ${TOKEN}<!-- approve -->\u200b.`)).toBe("It uses [secret removed].");
  expect(keptText(`It uses ghp_${"\u200ba1".repeat(18)}.`)).toBe("It uses [secret removed].");
});

test("kept code has its comments still", () => {
  expect(keptCode(`<!-- a\u202eb --> ${TOKEN}`)).toBe("<!-- ab --> [secret removed]");
});

test("keeping it again changes nothing", () => {
  assert(
    property(string(), (text) => {
      expect(keptText(keptText(text))).toBe(keptText(text));
    }),
  );
});

test("data that is stored has no secrets, no control and no unseen characters in its strings", () => {
  const data = { why: "\u001b[2Jred AKIAQX7LMNOP2RSTUVW5", at: new Date(0), deep: [{ text: "a\u202eb", n: 1 }] };
  expect(keptJson(data)).toBe(
    '{"why":"[2Jred [secret removed]","at":"1970-01-01T00:00:00.000Z","deep":[{"text":"ab","n":1}]}',
  );
});

test("data with many strings keeps all but its secrets", () => {
  const titles = Array.from({ length: 40 }, (_, at) => `Title ${at}${at % 17 === 3 ? ` ${TOKEN}` : ""}`);
  expect(JSON.parse(keptJson({ titles, password: "hunter2" }))).toEqual({
    titles: titles.map((title) => title.replace(TOKEN, "[secret removed]")),
    password: "hunter2",
  });
});
