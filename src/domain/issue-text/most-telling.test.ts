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

test.each([
  [
    "Orders are reserved by half",
    "The first line stays reserved although the order is refused. As a result, goods are missing.",
  ],
  [
    "Halb reserviert",
    "Die erste Zeile bleibt reserviert, obwohl die Bestellung abgelehnt wird. Danach fehlt uns die Ware im Regal.",
  ],
  [
    "Réservées à moitié",
    "La première ligne reste réservée alors que la commande est refusée. Du coup, une erreur s’affiche au stock.",
  ],
  ["Reservados a medias", "La primera línea queda reservada aunque el pedido se rechaza. Por eso el inventario falla."],
  [
    "Reservados pela metade",
    "A primeira linha fica reservada embora o pedido seja recusado. Por isso o inventário falha.",
  ],
  ["Резерв", "Первая строка остаётся в резерве, хотя заказ отклонён. В результате товар пропадает со склада."],
  ["预留一半", "订单被拒绝后第一行仍被预留。结果库存丢失了。"],
  ["半分だけ予約", "注文は拒否されるのに1行目が予約されたままです。その結果、在庫が消えます。"],
])("what follows from a fault is not the fault: %s", (title, body) => {
  expect(body.startsWith(actualOf(title, body)?.replace(/[.。]$/u, "") ?? "nothing")).toBe(true);
});

test.each([
  ["long-line 误报", "文件里有一行 40 个汉字，`lintel check` 报告 120 个字符。实际只有 40 个字符。"],
  ["long-line is wrong", "The line has 40 letters, and `lintel check` reports 120. Actually it has only 40."],
  ["Zeile zu lang", "Die Zeile hat 40 Zeichen, `lintel check` meldet 120. Tatsächlich sind es nur 40."],
])("the truth is not what happens: %s", (title, body) => {
  expect(actualOf(title, body)).toContain("120");
});

test("a way to attack is a fault", () => {
  const { kind } = readIssue({
    title: "Security: SQL injection in admin search",
    body: "`search` puts `$name` into the query unescaped. Please fix it with a prepared statement.",
    labels: ["security"],
  });
  expect(kind.kind).toBe("bug");
});

test.each([
  "Looks like the service now puts a `Z` behind the times.",
  "Anscheinend hängt der Dienst jetzt ein `Z` an.",
  "Apparemment, le service ajoute un `Z`.",
  "Al parecer, el servicio añade una `Z`.",
  "Aparentemente o serviço acrescenta um `Z`.",
  "Похоже, сервис добавляет `Z`.",
  "看起来 `line.len()` 数的是字节。",
  "`line.len()` はバイト数のようだ。",
])("what a reporter supposes of the code is their explanation: %s", (text) => {
  const { explanations } = readIssue({
    title: "It crashes",
    body: `It crashes since yesterday. ${text}`,
    labels: ["bug"],
  });
  expect(explanations).toEqual([text]);
});
