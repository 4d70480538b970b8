import { expect, test } from "vitest";
import { code, expectation, phrase, plain } from "./plain.ts";

test.each([
  ["# Heading\n\n- item one.\n- item two.", "Heading item one. item two."],
  ["```\nrm -rf /\n```\nIt fails.", "It fails."],
  ["It fails.\n    at run (a.js:1:2)\n    at main (b.js:3:4)", "It fails."],
  ["a <script> and `<b>`", "a &lt;script> and `<b>`"],
  ["an odd ` tick and <b>", "an odd tick and &lt;b>"],
  ["see Gap #7 and message 3", "see Gap no. 7 and message no. 3"],
  ["see `src/a.ts:9`", "see src/a.ts:9"],
  ["[text](javascript:alert(1)", "text"],
  ["invisible\u202E\u200B text", "invisible text"],
  ["!!! ???", ""],
])("%j becomes %j", (written, safe) => {
  expect(plain(written)).toBe(safe);
});

test("a long text ends at a sentence, else at a clause, else at a word", () => {
  expect(plain("One is here. Two is far too long to be kept.", 20)).toBe("One is here.");
  expect(plain("the first part is this, the second does not fit", 32)).toBe("the first part is this…");
  expect(plain("a considerable misunderstanding of percentages", 30)).toBe("a considerable…");
  expect(code("ValueError: invalid literal for int() with base ten", 30)).toBe("`ValueError: invalid literal…`");
  expect(phrase("Stop here.")).toBe("Stop here");
  expect(phrase("0.")).toBe("0");
});

test("code stays code only where it can be nothing else", () => {
  expect(code("npm  test\n-- a")).toBe("`npm test -- a`");
  expect(code("a`b")).toBe("ab");
  expect(code("src/a.ts:9")).toBe("src/a.ts:9");
});

test.each([
  ["I expected it to fall back", "it should fall back"],
  ["I would expect that the file is kept", "the file is kept"],
  ["Expected: a list", "a list"],
  ["Ожидается, что файл останется", "файл останется"],
  ["Ich würde erwarten, dass die Datei bleibt", "die Datei bleibt"],
  ["Esperaba que el archivo quedara", "se espera que el archivo quedara"],
  ["It would be nice to be able to filter", "filter"],
  ["The file is kept", "The file is kept"],
])("%j is taken as %j", (said, outcome) => {
  expect(expectation(said)).toBe(outcome);
});

test.each([
  ["Je m'attends à ce que les raccourcis soient inactifs.", "il est attendu que les raccourcis soient inactifs."],
  ["On s’attend à ce qu’il n’y ait rien.", "il est attendu qu’il n’y ait rien."],
  ["Espero que no se reserve nada.", "se espera que no se reserve nada."],
  ["Esperaba que no se reservara nada.", "se espera que no se reservara nada."],
  ["Espero que não seja reservado nada.", "espera-se que não seja reservado nada."],
  ["Esperava que nada fosse reservado.", "espera-se que nada fosse reservado."],
])("an expectation is no bare subjunctive: %s", (written, shown) => {
  expect(expectation(written)).toBe(shown);
  expect(expectation(shown)).toBe(shown);
});

test.each([
  ["-1 from me", "-1 from me"],
  ["+1 from me", "+1 from me"],
  ["- an item", "an item"],
])("a minus before a number opens no list: %s", (written, shown) => {
  expect(plain(written)).toBe(shown);
});

test("the last item of a list ends before what follows it", () => {
  expect(plain("It prints:\n- one\n- exit code 2\n\n`--all` is out.")).toBe(
    "It prints: one; exit code 2. `--all` is out.",
  );
});
