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

test.each([
  "Laut README ist `until` der letzte Tag, der 29. müsste also dabei sein.",
  "Ich bekomme drei Termine (8., 15., 22. Januar).",
  "Im 2. Quartal fehlt die Summe.",
  "Es passiert erst beim 3. Versuch mit derselben Datei.",
  "Vom 1. bis zum 15. März ist der Kalender leer.",
  "Am 8.1. beginnt die Serie, am 29.1. endet sie.",
  "Ab dem 31. Dezember 2025 gilt das neue Format.",
])("a German ordinal ends no sentence: %s", (text) => {
  expect(sentencesOf(text).map((one) => one.text)).toEqual([text]);
});

test.each([
  ["It happens since 2.4. Before that it was fine.", 2],
  ["It returns 29. It should return 30.", 2],
  ["Es liefert 29. Erwartet sind 30.", 2],
  ["Die Serie geht bis zum 29. Danach fehlt sie.", 2],
  ["Il renvoie 29. Il devrait renvoyer 30.", 2],
])("a number may end one: %s", (text, count) => {
  expect(sentencesOf(text)).toHaveLength(count);
});

test.each([
  [
    'Please add "It is ignored." there, that is all. Thanks.',
    ['Please add "It is ignored." there, that is all.', "Thanks."],
  ],
  ["He said “It fails.” Then it worked.", ["He said “It fails.”", "Then it worked."]],
  ["(It fails.) Then it works.", ["(It fails.)", "Then it works."]],
])("a closing mark stays with its sentence: %s", (text, sentences) => {
  expect(sentencesOf(text).map((one) => one.text)).toEqual(sentences);
});
