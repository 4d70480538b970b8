import { expect, test } from "vitest";
import { leadsWithNo, mayDecide, refusesUnnamed } from "./possible-decisions.ts";

test.each([
  ["No, keep the flag", true],
  ["@ann nope", true],
  ["Ok, no.", true],
  ["Nein, lieber nicht", true],
  ["Non, merci", true],
  ["不，保留", true],
  ["いいえ", true],
  ["No problem, let's do that", false],
  ["No hay problema", false],
  ["Nobody uses it", false],
])("a no to what was asked, and none that reassures: %s", (sentence, isNo) => {
  expect(leadsWithNo(sentence)).toBe(isNo);
});

test.each([
  ["No, let's leave that", true],
  ["Nein, lass das", true],
  ["Non, laisse ça", true],
  ["No, keep the flag", false],
  ["No, I do not think that this is what the users of the export want", false],
])("a few words refuse what was asked without naming it: %s", (sentence, refuses) => {
  expect(refusesUnnamed(sentence)).toBe(refuses);
});

test.each([
  ["Print a dash.", true, true],
  ["Thanks!", true, false],
  ["ありがとう", true, false],
  ["Print a dash?", true, false],
  ["Blank lines count as rows in every export that we have", false, true],
  ["I can reproduce this", false, false],
  ["Ich schaue mir das an", false, false],
  ["确认", false, false],
])("words that no rule knows may decide, but no thanks, questions and remarks: %s", (sentence, isAnswer, decides) => {
  expect(mayDecide(sentence, { isAnswer, isDiscussed: true })).toBe(decides);
});

test.each([
  ["OK with me, but name it --total", true],
  ["Works for me, behind a flag.", true],
  ["Confirmed orders must not be editable.", true],
  ["Only assigned users may close a ticket.", true],
  ["We'll try the cache first.", true],
  ["I would start with a warning and make it an error in 3.0.", true],
  ["Bestätigte Bestellungen dürfen nicht änderbar sein.", true],
  ["Los pedidos confirmados no se pueden editar.", true],
  ["Chez nous tout passe en UTC, donc UTC partout.", true],
  ["构建必须可重现。", true],
  ["確認済みの注文は編集できないようにします。", true],
  ["It comes out right for me, in London.", false],
  ["`isInMonth` decides that, so that is where I would start.", false],
  ["Works for me on macOS with Node 20.", false],
  ["Bestätigt, mit 3.2.", false],
  ["Lo puedo reproducir en Linux.", false],
  ["手元では問題ありません。", false],
])("a remark on a fault says nothing else: “%s” decides: %s", (sentence, decides) => {
  expect(mayDecide(sentence, { isAnswer: false, isDiscussed: true })).toBe(decides);
});

test("the first words about a fault decide only if they are few", () => {
  const first = { isAnswer: false, isDiscussed: false };
  expect(mayDecide("Exit 0.", first)).toBe(true);
  expect(mayDecide("The parser sees the second header as a row", first)).toBe(false);
});
