import { describe, expect, test } from "vitest";
import { readIssue } from "./issue-reading.ts";

describe("what an issue asks for", () => {
  test.each([
    ["bug", "Crash when saving an empty file", "It crashes."],
    ["bug", "Приложение падает при сохранении", "При нажатии на кнопку ничего не сохраняется."],
    ["bug", "Absturz beim Speichern", "Die App stürzt ab, wenn ich speichere."],
    ["bug", "La exportación no funciona", "Al pulsar el botón no pasa nada."],
    ["bug", "L'export ne fonctionne plus", "Quand je clique, rien ne se passe."],
    ["bug", "Erro ao salvar o arquivo", "O programa trava quando salvo."],
    ["bug", "保存文件时报错", "点击保存后程序崩溃。"],
    ["bug", "保存するとエラーになる", "保存ボタンを押すとクラッシュします。"],
    ["feature", "Add CSV export to the report page", "It would be nice to export reports."],
    ["feature", "Добавить экспорт в CSV", "Хотелось бы выгружать отчёты."],
    ["feature", "Export als CSV hinzufügen", "Es wäre schön, Berichte exportieren zu können."],
    ["feature", "Agregar exportación a CSV", "Sería útil poder exportar los informes."],
    ["feature", "Ajouter un export CSV", "Il serait utile de pouvoir exporter."],
    ["feature", "Adicionar exportação para CSV", "Seria útil exportar os relatórios."],
    ["feature", "希望支持导出 CSV", "建议增加导出功能。"],
    ["feature", "CSV エクスポートに対応してほしい", "レポートを書き出せるようにしたいです。"],
    ["docs", "Typo in the README", "The install section says instal."],
    ["docs", "Опечатка в документации", "В разделе установки."],
    ["chore", "Refactor the session store", "No change of behaviour."],
    ["performance", "Rendering is very slow with 1000 rows", "It takes 20 seconds."],
    ["question", "How do I configure two databases?", "I have a main and a replica."],
    ["question", "Как настроить две базы?", "Есть основная и реплика."],
  ])("%s: %s", (kind, title, body) => {
    expect(readIssue({ title, body, labels: [] }).kind.kind).toBe(kind);
  });

  test.each([
    ["sumList returns the last number only", "`sumList([1, 2])` in `src/sum.js` returns 2. Expected: 3."],
    ["Sum of two numbers", "`sumList([1, 2])` returns 2 instead of 3."],
    ["Sum of two numbers", "`sumList([1, 2])` prints 2. It should be 3."],
    ["Sum of two numbers", "I expected 3 but got 2."],
    ["The title of the page", "The page shows `Home`, but it should show `Cart`."],
    ["Сумма двух чисел", "`sumList([1, 2])` возвращает 2. Ожидалось: 3."],
    ["Summe zweier Zahlen", "`sumList([1, 2])` liefert 2. Erwartet: 3."],
    ["Suma de dos números", "`sumList([1, 2])` devuelve 2. Debería ser 3."],
    ["Somme de deux nombres", "`sumList([1, 2])` renvoie 2. Attendu : 3."],
    ["Soma de dois números", "`sumList([1, 2])` retorna 2. Deveria ser 3."],
    ["两个数的和", "`sumList([1, 2])` 返回 2。应该是 3。"],
    ["二つの数の和", "`sumList([1, 2])` は 2 を返します。期待値：3。"],
  ])("another result than the expected one is a bug, without a word of failure: %s: %s", (title, body) => {
    expect(readIssue({ title, body, labels: [] }).kind.kind).toBe("bug");
  });

  test.each([
    ["Is it intended that `retry` runs the job two times?", "We see two runs, but the docs say once."],
    ["Retries", "Is it intended that it runs two times? It used to be once."],
    ["Повторы", "Так задумано, что запускается два раза? Раньше было один раз."],
    ["Wiederholungen", "Ist es gewollt, dass es zweimal läuft? Laut Dokumentation nur einmal."],
    ["Reintentos", "¿Es intencional que se ejecute dos veces? Antes era una vez."],
    ["Répétitions", "Est-ce voulu qu’il tourne deux fois ? Avant, c’était une fois."],
    ["Repetições", "É normal que rode duas vezes? Antes funcionava uma vez só."],
    ["重试次数", "为什么运行两次？之前只运行一次。"],
    ["再試行は二回ですか？", "以前は一回でした。"],
    [
      "Is it intended that `export --month 2026-10` leaves out invoices of 2026-10-01?",
      "It used to contain them until 0.3.",
    ],
    ["Since when does `export` leave out invoices of the 1st?", "In 0.3 they were in the file."],
    ["Is it intended that `export` leaves out invoices of the 1st?", "They were listed. The export used to list them."],
    ["Is it intended that `export` leaves out invoices of the 1st?", "It contained them up to version 0.3."],
    ["Is that by design?", "`export` leaves out invoices of the 1st. With 0.3 the file contained them."],
    ["Ist es gewollt, dass `export` Rechnungen vom 1. auslässt?", "In 0.3 waren sie noch in der Datei."],
    ["Ist es gewollt, dass `export` Rechnungen vom 1. auslässt?", "Früher standen sie in der Datei."],
    ["¿Es intencional que `export` omita las facturas del día 1?", "En la 0.3 estaban en el archivo."],
    ["¿Es intencional que `export` omita las facturas del día 1?", "Antes sí aparecían en el archivo."],
    ["Est-ce voulu que `export` saute les factures du 1er ?", "En 0.3, elles étaient dans le fichier."],
    ["Est-ce voulu que `export` saute les factures du 1er ?", "Avant, elles y figuraient."],
    ["É intencional que `export` deixe de fora as faturas do dia 1?", "Na 0.3 elas estavam no arquivo."],
    ["Так и задумано, что `export` пропускает счета от 1-го числа?", "В 0.3 они были в файле."],
    ["Так и задумано, что `export` пропускает счета от 1-го числа?", "Раньше они попадали в файл."],
    ["`export` に1日の請求書が入らないのは仕様ですか？", "0.3 では入っていました。"],
    ["`export` 不包含 1 号的发票，是有意的吗？", "0.3 版本里是有的。"],
  ])("a question that contradicts the documentation, or what was, is a bug: %s: %s", (title, body) => {
    expect(readIssue({ title, body, labels: [] }).kind.kind).toBe("bug");
  });

  test.each([
    ["question", "Which timeout does `retry` use?", "The docs say nothing about it."],
    ["question", "How do I use two databases?", "I used to use one before."],
    ["question", "How do I use two databases?", "In 0.3 I had one. I used to have one."],
    ["question", "Which version do I need for two databases?", "In 0.3 we were happy with one database."],
    ["question", "Where is the option?", "In 0.3 it was called `--all`. How is it called now?"],
    ["question", "Which key is it?", "The key used to sign the release is which one?"],
    ["question", "How do I export?", "The tool used to build it is make."],
    ["question", "Wie benutze ich zwei Datenbanken?", "In 0.3 hatte ich eine."],
    ["question", "¿Cómo uso dos bases de datos?", "Antes usaba una."],
    ["question", "Comment utiliser deux bases ?", "Avant, j’avais une base."],
    ["question", "Como uso dois bancos?", "Antes eu usava um."],
    ["question", "Как настроить две базы?", "Раньше я использовал одну."],
    ["question", "如何配置两个数据库？", "0.3 我用一个。"],
    ["question", "How do I set the month?", "It was introduced in 0.3."],
    ["feature", "Add a dark mode", "It used to be there in v1, please add it again."],
  ])("a %s may speak of them, too: %s: %s", (kind, title, body) => {
    expect(readIssue({ title, body, labels: [] }).kind.kind).toBe(kind);
  });

  test.each([
    ["Add a limit to the list", "The list shows all rows. It should show 10 of them."],
    ["Limit of the list", "The list shows all rows. It should be possible to limit them."],
  ])("a wish beside what happens today stays a feature: %s: %s", (title, body) => {
    expect(readIssue({ title, body, labels: [] }).kind.kind).toBe("feature");
  });

  test.each([
    ["Is it intended that retry ignores the timeout?", "We see three tries."],
    ["What happens when the timeout is missing?", ""],
    ["Retry timeout", "Which timeout does `retry` use? I did not see it in the README."],
    ["Question about retries", "Which timeout does `retry` use?"],
    ["Ist es beabsichtigt, dass retry den Fehler ignoriert?", ""],
    ["¿Es intencional que retry ignore el error?", ""],
    ["Est-ce voulu que retry ignore l’erreur ?", ""],
    ["É intencional que o retry ignore o erro?", ""],
    ["Так и задумано, что retry игнорирует ошибку?", ""],
    ["这是预期行为吗：retry 忽略错误？", ""],
    ["retry がエラーを無視するのは仕様ですか？", ""],
  ])("who asks how it is meant reports nothing, whatever words of failure the question has: %s", (title, body) => {
    expect(readIssue({ title, body, labels: [] }).kind.kind).toBe("question");
  });

  test.each([
    ["Why does the total crash?", "It crashes each time I open the cart."],
    ["Why does `parseDuration('1h30m')` return 3600?", "Expected 5400, got 3600."],
    ["How does `retry` work?", "I get an error when I call it: `TypeError: call is undefined`."],
    ["Is it intended that the list is empty?", "`list()` returns [] instead of [1]."],
    ["What is this?", "```\nTypeError: x is undefined\n    at a (src/a.js:1:2)\n    at b (src/b.js:1:2)\n```"],
    [
      "Is that right?",
      "### Steps to reproduce\n\n1. Open\n\n### Expected behavior\n\nSaved\n\n### Actual behavior\n\nLost\n",
    ],
    ["Warum stürzt retry ab? Absturz beim Start?", ""],
    ["Почему падает экспорт?", ""],
    ["为什么导出报错？", ""],
  ])("a report of a fault stays one, though its title asks: %s", (title, body) => {
    expect(readIssue({ title, body, labels: [] }).kind.kind).toBe("bug");
  });

  test.each([
    ["Can we have a timeout option?"],
    ["Would it be possible to add CSV export?"],
    ["Can you make the timeout configurable?"],
  ])("a polite wish stays one: %s", (title) => {
    expect(readIssue({ title, body: "We need it.", labels: [] }).kind.kind).toBe("feature");
  });

  test.each([
    [
      "Overdue report lists invoices due today",
      "`overdue` prints invoices that are due today. It should list only those due before today.",
    ],
    [
      "Overdue report lists invoices due today",
      "An invoice due today can still be paid in time. The report should list only those due before today.",
    ],
    ["October export misses invoices", "Invoices of 2026-10-01 are in the database."],
    ["JSON export has no currency", "`export --json` writes the amount alone."],
    ["CSV file contains no header", "The first line is the first invoice."],
    ["Summary for October shows no total", "See `summary --month 2026-10`."],
    ["The report lacks the invoices of the 1st", "Run `report --month 2026-10`."],
    ["The export drops the last row", "Three rows go in, two come out."],
    ["Reminder mails include paid invoices", "They should not include them."],
    ["Der Export vom Oktober lässt Rechnungen aus", "Die vom 1. sind in der Datenbank."],
    ["JSON-Export enthält keine Währung", "`export --json` schreibt nur den Betrag."],
    ["Bericht listet heute fällige Rechnungen", "Er sollte nur die vor heute fälligen auflisten."],
    ["La exportación de octubre omite facturas", "Las del día 1 están en la base de datos."],
    ["El informe lista facturas que vencen hoy", "Debería listar solo las anteriores."],
    ["L’export JSON n’a pas de devise", "`export --json` écrit le montant seul."],
    ["Le rapport liste des factures dues aujourd’hui", "Il ne devrait afficher que celles d’avant."],
    ["A exportação de outubro pula faturas", "As do dia 1 estão no banco."],
    ["O relatório lista faturas que vencem hoje", "Deveria listar apenas as anteriores."],
    ["Экспорт за октябрь пропускает счета", "Счета от 1-го числа есть в базе."],
    ["В экспорте JSON нет валюты", "`export --json` пишет только сумму."],
    ["Отчёт показывает счета со сроком сегодня", "Он должен показывать только просроченные."],
    ["十月的导出遗漏了发票", "数据库里有 1 号的发票。"],
    ["导出的 JSON 没有货币", "`export --json` 只写金额。"],
    ["10月のエクスポートから請求書が漏れ、JSON出力に通貨がない", "データベースには入っている。"],
  ])("output that leaves something out, or shows too much, is a fault: %s: %s", (title, body) => {
    expect(readIssue({ title, body, labels: [] }).kind.kind).toBe("bug");
  });

  test.each([
    ["CLI has no option for the month", "We enter it by hand."],
    ["The list has no filter", "I’d like to filter it by month."],
    ["JSON export has no currency", "Please add one."],
    ["The report lacks a way to sort", "It would be nice to sort by date."],
    ["A flag that skips paid invoices", "For `report`."],
    ["Dark mode", "The page has no dark mode."],
    ["List of invoices by month", "The list shows all invoices. It should be possible to filter."],
    ["Allow an export that omits paid invoices", "For the tax office."],
    ["The page has no search", "We need one for long lists."],
    ["Report per customer", "The report shows totals. A report per customer would be great."],
    ["Der Export hat keine Option für den Monat", "Es wäre schön, den Monat wählen zu können."],
    ["Отчёт по клиентам", "Отчёт показывает суммы. Хотелось бы по клиентам."],
  ])("who asks for something new reports no fault: %s: %s", (title, body) => {
    expect(readIssue({ title, body, labels: [] }).kind.kind).toBe("feature");
  });

  test.each([
    [
      "Export of invoices as CSV",
      "We need the invoices as a CSV file for our accountants. The columns would be number, date, total. Would that be possible?",
    ],
    [
      "CSV for accountants",
      "Our accountants type the totals by hand. A CSV export of the invoices would help them a lot. Is that possible?",
    ],
    [
      "Dark mode",
      "I work at night and the page is very bright. A dark theme could be chosen in the settings. What do you think?",
    ],
    [
      "Filter by customer",
      "The list of invoices shows all customers. It should be possible to show one customer only. Could this be done?",
    ],
    [
      "Timeout as an option",
      "At the moment the timeout is fixed to 30 s. We want to set it per job with `--timeout`. Any chance?",
    ],
    [
      "CSV-Export für Rechnungen",
      "Unsere Buchhaltung tippt die Summen von Hand. Ein CSV-Export würde sehr helfen. Wäre das möglich?",
    ],
    [
      "Export CSV des factures",
      "La comptabilité recopie les totaux. Un export CSV aiderait beaucoup. Est-ce que ce serait possible ?",
    ],
    [
      "Exportar facturas a CSV",
      "La contabilidad copia los totales a mano. Una exportación a CSV ayudaría mucho. ¿Sería posible?",
    ],
    [
      "Exportar faturas em CSV",
      "A contabilidade digita os totais à mão. Uma exportação em CSV ajudaria muito. Seria possível?",
    ],
    ["Выгрузка счетов в CSV", "Бухгалтерия набирает суммы руками. Выгрузка в CSV очень помогла бы. Это возможно?"],
    ["发票导出为 CSV", "会计手工录入金额。有 CSV 导出会很有帮助。可以做吗？"],
    ["請求書の CSV 出力", "経理が金額を手で入力しています。CSV で出力できると助かります。可能でしょうか？"],
  ])("a request that closes with a question stays one: %s", (title, body) => {
    expect(readIssue({ title, body, labels: [] }).kind.kind).toBe("feature");
  });

  test.each([
    ["Question about retries", "How often is a failed job retried? Is the delay configurable?"],
    ["Timeouts", "Where is the timeout read? Would that be possible per job?"],
    ["Is it possible to run two workers?", "We have one server."],
  ])("a question of its own stays one: %s", (title, body) => {
    expect(readIssue({ title, body, labels: [] }).kind.kind).toBe("question");
  });

  test("a label decides over words, and is told as the reason", () => {
    const reading = readIssue({ title: "Crash page for errors", body: "", labels: ["area: web", "type: feature"] });
    expect(reading.kind).toMatchObject({ kind: "feature" });
    expect(reading.kind.reasons[0]).toBe("label type: feature");
  });

  test("marks of the kind in a title are read and left out of the gist", () => {
    const reading = readIssue({ title: "[Bug]: fix: Total is wrong.", body: "", labels: [] });
    expect(reading.kind.kind).toBe("bug");
    expect(reading.title).toBe("Total is wrong");
  });
});

test("an issue that says that it is no bug is none", () => {
  const body =
    "An unknown zone is an error. This is by design and documented, so it's not a bug report. It would be useful to have a new option `--fallback`.";
  expect(readIssue({ title: "Unknown zones fail", body, labels: [] }).kind.kind).toBe("feature");
  const doubt = "`quote` prints nothing and crashes. Is this not a bug?";
  expect(readIssue({ title: "quote crashes", body: doubt, labels: [] }).kind.kind).toBe("bug");
});
