import { describe, expect, test } from "vitest";
import { statementsIn } from "./statements.ts";

const boundsOf = (title: string, body: string) =>
  statementsIn({ title, body, labels: ["bug"], reporter: "ann" }, [], new Set())
    .statements.filter(({ kind }) => kind === "bound")
    .map(({ text }) => text);

describe("what a report tells to stay is the fault", () => {
  test.each([
    "If the third line cannot be delivered, the first two remain reserved although the order is refused.",
    "Wenn die dritte Zeile nicht lieferbar ist, bleiben die ersten beiden reserviert, obwohl die Bestellung abgelehnt wird.",
    "Nach dem Abmelden bleibt der Entwurf der Karte für den nächsten Benutzer sichtbar.",
    "Si la troisième ligne n’est pas livrable, les deux premières restent réservées alors que la commande est refusée.",
    "Si la tercera línea no se puede entregar, las dos primeras quedan reservadas aunque el pedido se rechaza.",
    "Se a terceira linha não puder ser entregue, as duas primeiras ficam reservadas, embora o pedido seja recusado.",
    "Если третью строку нельзя поставить, первые две остаются зарезервированными, хотя заказ отклонён.",
    "第三行无法发货时，前两行仍然被预留，尽管订单已被拒绝。",
    "3行目が出荷できないとき、注文は拒否されるのに最初の2行が予約されたまま残ります。",
  ])("%s", (body) => {
    expect(boundsOf("Half of an order", body)).toEqual([]);
  });

  test.each([
    "The total is wrong. The format of the file stays as it is.",
    "Die Summe ist falsch. Das Format der Datei soll bleiben.",
    "Die Summe ist falsch. Das Format der Datei bleibt unverändert.",
    "La somme est fausse. Le format du fichier doit rester inchangé.",
    "La suma es incorrecta. El formato del archivo queda sin cambios.",
    "Сумма неверна. Формат файла остаётся без изменений.",
  ])("what is ordered to stay is a bound: %s", (body) => {
    expect(boundsOf("Wrong total", body)).toHaveLength(1);
  });
});
