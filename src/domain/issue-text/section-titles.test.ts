import { expect, test } from "vitest";
import { topicOf } from "./section-titles.ts";

test.each([
  ["Out of scope", "left_out"],
  ["Out-of-scope for this change", "left_out"],
  ["Non-goals", "left_out"],
  ["What we won’t do", "left_out"],
  ["Do not touch", "left_out"],
  ["Must not change", "left_out"],
  ["Nicht-Ziele", "left_out"],
  ["Nicht Teil dieser Aufgabe", "left_out"],
  ["Fuera del alcance", "left_out"],
  ["Hors périmètre", "left_out"],
  ["À ne pas toucher", "left_out"],
  ["Fora do escopo", "left_out"],
  ["Вне рамок задачи", "left_out"],
  ["Не входит в задачу", "left_out"],
  ["不在本次范围内", "left_out"],
  ["スコープ外", "left_out"],
  ["やらないこと", "left_out"],
  ["Scope", "scope"],
  ["Goals", "scope"],
  ["Ziele", "scope"],
  ["Objetivos", "scope"],
  ["Périmètre", "scope"],
  ["Цели", "scope"],
  ["目标", "scope"],
  ["スコープ", "scope"],
  ["What does not work", null],
  ["Was nicht funktioniert", null],
  ["Ne fonctionne pas", null],
  ["Не работает", null],
])("a title tells what is in from what is out: %s", (title, topic) => {
  expect(topicOf(title)).toBe(topic);
});
