import { expect, test } from "vitest";
import { sentencesOf } from "./sentences.ts";

test.each([
  ["Use a short name, e.g. Ada, in the header. Sort it.", 2],
  ["Formats incl. CSV and approx. Ten more stay. Done.", 2],
  ["Names in CSV, TSV etc. are kept. Others go.", 2],
  ["It writes CSV, TSV etc. This took long.", 2],
  ["Das gilt u. a. Für Listen, z. B. Rechnungen. Ende.", 2],
  ["Форматы, напр. CSV, остаются. Конец.", 2],
])("%s", (text, count) => {
  expect(sentencesOf(text)).toHaveLength(count);
});
