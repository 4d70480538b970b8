import { expect, test } from "vitest";
import { sentencesOf } from "./sentences.ts";
import { plainText } from "./markdown.ts";

test.each([
  ["Use a short name, e.g. Ada, in the header. Sort it.", 2],
  ["Formats incl. CSV and approx. Ten more stay. Done.", 2],
  ["Names in CSV, TSV etc. are kept. Others go.", 2],
  ["It writes CSV, TSV etc. This took long.", 2],
  ["It finishes what runs first, max. 5 seconds, then it exits. Done.", 2],
  ["Set it to the max. Then restart.", 2],
  ["Höchstens eine Seite, max. drei Zeilen. Fertig.", 2],
  ["Con máx. 5 intentos. Listo.", 2],
  ["Не более, макс. 5 секунд. Всё.", 2],
  ["Das gilt u. a. Für Listen, z. B. Rechnungen. Ende.", 2],
  ["Форматы, напр. CSV, остаются. Конец.", 2],
  ["Une note (ex. le numéro) serait utile. Merci.", 2],
])("%s", (text, count) => {
  expect(sentencesOf(text)).toHaveLength(count);
});

test.each([
  ["a **bold** word, *it* and ***both***", "a bold word, it and both"],
  ["**bold *it* x**", "bold it x"],
  ['the zone "*"', 'the zone "*"'],
  ["src/**/*.ts and *.js", "src/**/*.ts and *.js"],
  ["*args, **kwargs", "*args, **kwargs"],
  ["SELECT * FROM t, 2*3*4", "SELECT * FROM t, 2*3*4"],
  ["**It fails.", "It fails."],
  ["期望**粗体**文字", "期望粗体文字"],
  ["a <b>bold</b> word becomes `<b>`", "a bold word becomes `<b>`"],
])("shows stars as emphasis only in pairs, and code as it is written: %s", (written, shown) => {
  expect(plainText(written)).toBe(shown);
});
