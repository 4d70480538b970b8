import { expect, test } from "vitest";
import { readIssue } from "./issue-reading.ts";

const actualOf = (title: string, body: string) => readIssue({ title, body, labels: ["bug"] }).aspects.actual.text;

test.each([
  ["Shortcuts work while typing", "When I type in the title of a card, the key `n` opens a new card. I am on 3.1."],
  ["Kürzel wirken beim Tippen", "Wenn ich im Titel einer Karte schreibe, öffnet die Taste `n` eine neue Karte."],
  ["Raccourcis actifs", "Quand j'écris dans le titre d'une carte, la touche `n` ouvre une nouvelle carte."],
  ["Atajos activos", "Cuando escribo en el título de una tarjeta, la tecla `n` abre una tarjeta nueva."],
  ["Atalhos ativos", "Quando escrevo no título de um cartão, a tecla `n` abre um cartão novo."],
  ["Клавиши при наборе", "Когда я пишу в заголовке карточки, клавиша `n` открывает новую карточку."],
  ["快捷键", "在卡片标题里输入文字时，`n` 键会打开新卡片。"],
  ["ショートカット", "カードのタイトルに入力していると、`n` キーで新しいカードが開きます。"],
])("what comes of a case is what happens: %s", (title, body) => {
  expect(body).toContain(actualOf(title, body)?.replace(/\.$/, "") ?? "nothing");
  expect(actualOf(title, body)).toContain("`n`");
});
