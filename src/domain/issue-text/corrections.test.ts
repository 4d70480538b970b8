import { expect, test } from "vitest";
import { withCorrections } from "./corrections.ts";

const corrected = (body: string, content: string) => withCorrections(body, [{ seq: 1, content }]).body;

test.each([
  [
    "It shows `1`, it should be `2`.",
    "Correction: it should be `3`, I was wrong above.",
    "It shows `1`, it should be `3`.",
  ],
  [
    "Es zeigt `1`, es sollte `2` sein.",
    "Ich habe mich vertan: es sollte `3` sein.",
    "Es zeigt `1`, es sollte `3` sein.",
  ],
  [
    "Il affiche `1`. Cela devrait être `2`.",
    "Je me suis trompé : cela devrait être `3`.",
    "Il affiche `1`. Cela devrait être `3`.",
  ],
  ["Muestra `1`, debería ser `2`.", "Corrección: debería ser `3`.", "Muestra `1`, debería ser `3`."],
  [
    "Aparece `1`, devia ser `2` porque sim.",
    "Correção: devia ser `3` — enganei-me acima.",
    "Aparece `1`, devia ser `3` porque sim.",
  ],
  [
    "Aparece `1`, devia ser `2` porque o `locale` é `pt`.",
    "Correção: devia ser `3`.",
    "Aparece `1`, devia ser `3` porque o `locale` é `pt`.",
  ],
  ["Показывает `1`, должно быть `2`.", "Поправка: должно быть `3`.", "Показывает `1`, должно быть `3`."],
  ["显示 `1`，应该是 `2`。", "更正：应该是 `3`。", "显示 `1`，应该是 `3`。"],
  [
    "`1` と表示されます。`2` と表示されるべきです。",
    "訂正します。`2` ではなく `3` です。",
    "`1` と表示されます。`3` と表示されるべきです。",
  ],
])("the corrected value stands for the withdrawn one: %s", (body, content, whole) => {
  expect(corrected(body, content)).toBe(whole);
});

test.each([
  ["Sorry, I misread the log. It was 8 attempts, not 3, and it took 8 seconds, not 30."],
  ["My mistake: not 3 but 8 attempts, not 30 but 8 seconds."],
  ["Korrektur: 8 Versuche, nicht 3, und 8 Sekunden, nicht 30."],
  ["Korrektur: nicht 3, sondern 8 Versuche, nicht 30, sondern 8 Sekunden."],
  ["Je me suis trompé : 8 tentatives, pas 3, et 8 secondes, pas 30."],
  ["Me equivoqué: 8 intentos, no 3, y 8 segundos, no 30."],
  ["Enganei-me: 8 tentativas, não 3, e 8 segundos, não 30."],
  ["Поправка: 8 попыток, а не 3, и 8 секунд, а не 30."],
  ["更正：是8次，不是3次；是8秒，不是30秒。"],
  ["訂正：3回ではなく8回、30秒ではなく8秒でした。"],
])("what is withdrawn by name is replaced: %s", (content) => {
  expect(corrected("It stops after 3 attempts, within 30 seconds (`max: 8`).", content)).toBe(
    "It stops after 8 attempts, within 8 seconds (`max: 8`).",
  );
});

test.each([
  ["It should be `2`.", "It should also be `3` for the others."],
  ["It should be `2`.", "Correction: the version is 3.1."],
  ["It prints 3 and 3 again.", "Correction: 8, not 3."],
  ["It should be `2` or `4`.", "Correction: it should be `3`."],
])("nothing else changes: %s / %s", (body, content) => {
  expect(corrected(body, content)).toBe(body);
});

test("code keeps its values", () => {
  const body = "It fails after 3 attempts.\n\n```\nattempts: 3\n```";
  expect(corrected(body, "Correction: 8 attempts, not 3.")).toBe(body.replace("after 3", "after 8"));
});
