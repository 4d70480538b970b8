import { expect, test } from "vitest";
import { isCheckable } from "./checkable.ts";

const issue = {
  title: "Export",
  body: "The export of the board rounds the fee. Die Gebühr der Bestellung wird gerundet.",
};

test.each([
  "Same here, very annoying!",
  "Schreibt doch alles in Cobol neu.",
  "Pareil chez nous, très pénible !",
  "Nos pasa lo mismo, un desastre.",
  "Aqui também, muito chato.",
  "У нас то же самое, очень неудобно.",
  "我们也一样，很烦。",
  "うちも同じです、困っています。",
  "We had that in another project, 8 characters is not much.",
])("is chatter: %s", (text) => {
  expect(isCheckable(text, issue)).toBe(false);
});

test.each([
  "It also happens with `fee: 0`.",
  "Same here with version 2.4.1.",
  "On Windows the file is empty.",
  "Unter Firefox passiert es nicht.",
  "The fee of a board is rounded twice.",
  "Es dauert 30 Sekunden.",
])("can be checked: %s", (text) => {
  expect(isCheckable(text, issue)).toBe(true);
});
