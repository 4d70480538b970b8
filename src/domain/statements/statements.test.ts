import { describe, expect, test } from "vitest";
import { message } from "../../../test/support/spec-input.ts";
import type { ConversationMessage } from "../conversation.ts";
import { readSentence } from "./sentence.ts";
import { statementsIn } from "./statements.ts";

const ISSUES: Record<string, { title: string; body: string }> = {
  en: {
    title: "Export invoices as CSV",
    body: "We have a PDF export today and our accountants type the totals by hand.",
  },
  de: {
    title: "Rechnungen als CSV exportieren",
    body: "Heute gibt es nur den PDF-Export und die Buchhaltung tippt alles ab.",
  },
  fr: {
    title: "Exporter les factures en CSV",
    body: "Aujourd’hui nous avons un export PDF et la comptabilité recopie les totaux.",
  },
  es: {
    title: "Exportar las facturas a CSV",
    body: "Hoy tenemos una exportación a PDF y la contabilidad copia los totales a mano.",
  },
  pt: {
    title: "Exportar as faturas em CSV",
    body: "Hoje temos uma exportação em PDF e a contabilidade digita os totais à mão.",
  },
  ru: { title: "Выгрузка счетов в CSV", body: "Сейчас у нас выгрузка в PDF, и бухгалтерия набирает суммы руками." },
  zh: { title: "把发票导出为 CSV", body: "现在我们有 PDF 导出功能，会计手工录入金额。" },
  ja: { title: "請求書を CSV で出力する", body: "現在は PDF で出力していて、経理が金額を手で入力しています。" },
};

function said(language: string, ...contents: string[]) {
  const messages = contents.map((content, index) => message({ seq: index + 1, author: "bob", content }));
  return found(language, messages);
}

function found(language: string, messages: ConversationMessage[], deciders = ["ann", "bob"]) {
  const issue = { ...(ISSUES[language] ?? { title: "", body: "" }), labels: [], reporter: "ann" };
  return statementsIn(issue, messages, new Set(deciders)).statements.filter((one) => one.message !== null);
}

/** Sentences as people write them in comments, by what they are. */
const SENTENCES: Record<string, Record<"wish" | "bound" | "fact" | "decision", string[]>> = {
  en: {
    wish: [
      "Please also write the currency into the header row.",
      "The file should carry a byte order mark, otherwise Excel garbles the umlauts.",
      "It would be great if the separator could be configured.",
      "Could you also sort the rows by due date?",
      "Use the locale of the customer for the amounts.",
    ],
    bound: [
      "No new dependency for this, we write the file ourselves.",
      "Please don't touch the PDF export.",
      "The old endpoint has to stay reachable for the mobile app.",
      "Keep the legacy importer around as a fallback.",
      "This is only for paid invoices.",
      "Archiving is out of scope here.",
      "The column order must not change.",
    ],
    fact: [
      "It only happens when the customer has no address.",
      "Works fine with 4.1, so it came in with 4.2.",
      "The nightly job reads `due_date` from that file.",
      "Since the upgrade the totals are off by one cent.",
      "I can reproduce it on Windows, but not on Linux.",
    ],
    decision: [
      "Let's go with the semicolon.",
      "We decided to drop the preview.",
      "I'm in favour of a single file per month.",
      "We'll use option B, it is simpler.",
    ],
  },
  de: {
    wish: [
      "Bitte auch die Währung in die Kopfzeile schreiben.",
      "Die Datei sollte mit einem BOM beginnen, sonst zerlegt Excel die Umlaute.",
      "Schön wäre es, wenn man das Trennzeichen einstellen könnte.",
      "Könntest du die Zeilen auch nach Fälligkeit sortieren?",
    ],
    bound: [
      "Keine neue Abhängigkeit dafür, das schreiben wir selbst.",
      "Den PDF-Export bitte nicht anfassen.",
      "Der alte Endpunkt muss für die App erreichbar bleiben.",
      "Die Archivierung ist außerhalb dieses Themas.",
      "Das gilt nur für bezahlte Rechnungen.",
      "Die Reihenfolge der Spalten darf sich nicht ändern.",
    ],
    fact: [
      "Das passiert nur, wenn der Kunde keine Adresse hat.",
      "Mit 4.1 funktioniert es noch, also kam es mit 4.2.",
      "Der Nachtlauf liest `due_date` aus dieser Datei.",
      "Seit dem Update stimmen die Summen nicht mehr.",
    ],
    decision: [
      "Wir nehmen das Semikolon.",
      "Wir haben uns für eine Datei pro Monat entschieden.",
      "Ich bin für Variante B.",
    ],
  },
  fr: {
    wish: [
      "Merci d’ajouter aussi la devise dans l’en-tête, il faudrait qu’elle soit visible.",
      "Le fichier devrait commencer par un BOM, sinon Excel casse les accents.",
      "Ce serait bien de pouvoir choisir le séparateur.",
      "Pourrais-tu aussi trier les lignes par échéance ?",
    ],
    bound: [
      "Pas de nouvelle dépendance pour cela.",
      "Il ne faut surtout pas toucher à l’export PDF.",
      "L’ancien point d’accès doit rester joignable pour l’application mobile.",
      "L’archivage est hors périmètre.",
      "C’est uniquement pour les factures payées.",
      "L’ordre des colonnes ne doit pas changer.",
    ],
    fact: [
      "Cela se produit seulement quand le client n’a pas d’adresse.",
      "Avec la 4.1 tout fonctionne, c’est donc arrivé avec la 4.2.",
      "La tâche de nuit lit `due_date` dans ce fichier.",
      "Depuis la mise à jour, les totaux sont faux.",
    ],
    decision: [
      "On part sur le point-virgule.",
      "Nous avons décidé de supprimer l’aperçu.",
      "Je suis pour la variante B.",
    ],
  },
  es: {
    wish: [
      "Por favor, añade también la moneda en la cabecera.",
      "El archivo debería empezar con un BOM, si no Excel rompe los acentos.",
      "Estaría bien poder elegir el separador.",
      "¿Podrías ordenar también las filas por vencimiento?",
    ],
    bound: [
      "Nada de dependencias nuevas para esto.",
      "No toquéis la exportación a PDF.",
      "El punto de acceso antiguo tiene que seguir disponible para la app.",
      "El archivado queda fuera del alcance.",
      "Es solo para facturas pagadas.",
      "El orden de las columnas no debe cambiar.",
    ],
    fact: [
      "Solo ocurre cuando el cliente no tiene dirección.",
      "Con la 4.1 funciona bien, así que llegó con la 4.2.",
      "El proceso nocturno lee `due_date` de ese archivo.",
      "Desde la actualización los totales están mal.",
    ],
    decision: [
      "Nos quedamos con el punto y coma.",
      "Hemos decidido quitar la vista previa.",
      "Voto por la variante B.",
    ],
  },
  pt: {
    wish: [
      "Por favor, coloque também a moeda no cabeçalho.",
      "O arquivo deveria começar com um BOM, senão o Excel estraga os acentos.",
      "Seria ótimo poder escolher o separador.",
      "Você poderia ordenar também as linhas por vencimento?",
    ],
    bound: [
      "Nada de dependências novas para isso.",
      "Não mexam na exportação em PDF.",
      "O endpoint antigo tem que continuar disponível para o aplicativo.",
      "O arquivamento está fora do escopo.",
      "É só para faturas pagas.",
      "A ordem das colunas não deve mudar.",
    ],
    fact: [
      "Só acontece quando o cliente não tem endereço.",
      "Com a 4.1 funciona bem, então veio com a 4.2.",
      "A rotina noturna lê `due_date` desse arquivo.",
      "Desde a atualização os totais estão errados.",
    ],
    decision: ["Ficamos com o ponto e vírgula.", "Decidimos remover a prévia.", "Sou a favor da variante B."],
  },
  ru: {
    wish: [
      "Пожалуйста, добавьте и валюту в заголовок.",
      "Файл должен начинаться с BOM, иначе Excel портит кириллицу.",
      "Было бы здорово настраивать разделитель.",
      "Можно ли ещё сортировать строки по сроку оплаты?",
    ],
    bound: [
      "Никаких новых зависимостей ради этого.",
      "Экспорт в PDF не трогайте.",
      "Старый адрес должен остаться доступным для приложения.",
      "Архивация вне рамок этой задачи.",
      "Это только для оплаченных счетов.",
      "Порядок столбцов не должен меняться.",
    ],
    fact: [
      "Воспроизводится только когда у клиента нет адреса.",
      "На 4.1 всё работает, значит пришло с 4.2.",
      "Ночная задача читает `due_date` из этого файла.",
      "После обновления суммы не сходятся.",
    ],
    decision: ["Берём точку с запятой.", "Решили убрать предпросмотр.", "Я за вариант B."],
  },
  zh: {
    wish: [
      "请在表头也写上币种。",
      "文件应该以 BOM 开头，否则 Excel 会乱码。",
      "希望可以配置分隔符。",
      "能不能也按到期日排序？",
    ],
    bound: [
      "不要为此引入新的依赖。",
      "请不要动 PDF 导出。",
      "旧接口必须继续可用，手机应用要用。",
      "归档超出了这次的范围。",
      "只针对已付款的发票。",
      "列的顺序不能变。",
    ],
    fact: [
      "只有在客户没有地址时才会出现。",
      "4.1 版本正常，从 4.2 开始有问题。",
      "夜间任务会从这个文件读取 `due_date`。",
      "升级之后金额不对。",
    ],
    decision: ["我们决定用分号。", "就用方案 B 吧。", "我赞成每月一个文件。"],
  },
  ja: {
    wish: [
      "見出し行に通貨も書いてください。",
      "ファイルは BOM で始まるべきです。",
      "区切り文字を設定できるとうれしいです。",
      "行を期日順に並べてもらえますか？",
    ],
    bound: [
      "新しい依存は追加しないでください。",
      "PDF 出力には触れないでください。",
      "古いエンドポイントはアプリのために残してください。",
      "アーカイブは今回の範囲外です。",
      "対象は支払い済みの請求書のみです。",
      "列の順序は変えないでください。",
    ],
    fact: [
      "顧客に住所がない場合にだけ発生します。",
      "4.1 では正常に動作するので、4.2 からの問題です。",
      "夜間ジョブはこのファイルから `due_date` を読み込んでいます。",
      "アップデートしてから合計が合いません。",
    ],
    decision: ["セミコロンにしましょう。", "プレビューは削除することにしました。", "B 案でいきましょう。"],
  },
};

test.each([
  "Ahora solo llega un aviso.",
  "Hoje o `list` só mostra o nome.",
  "If it is too heavy, it only says that.",
  "New job in settings.toml, not yet pinged:",
])("what happens now in an issue limits nothing: %s", (body) => {
  const issue = { title: "More words in the list", body, labels: ["enhancement"], reporter: "ann" };
  expect(statementsIn(issue, [], new Set(["ann"])).statements.filter(({ kind }) => kind === "bound")).toEqual([]);
});

test.each([
  ["fr", "Du coup je ne peux pas le supprimer tout de suite."],
  ["fr", "Un filtre dans la config, pour ne plus voir les articles sponsorisés."],
  ["es", "El fichero no vuelve a aparecer nunca."],
  ["pt", "Não consigo apagar o arquivo."],
  ["ru", "Не могу удалить файл."],
  ["en", "I cannot delete it."],
])("what somebody cannot do, and what something is good for, limits nothing (%s): %s", (_, body) => {
  const issue = { title: "", body, labels: ["enhancement"], reporter: "ann" };
  expect(statementsIn(issue, [], new Set(["ann"])).statements.filter(({ kind }) => kind === "bound")).toEqual([]);
});

describe.each(Object.entries(SENTENCES))("in %s", (language, byKind) => {
  test.each(Object.entries(byKind).flatMap(([kind, texts]) => texts.map((text) => [kind, text] as const)))(
    "%s: %s",
    (kind, text) => {
      expect(said(language, text).map((one) => [one.kind, one.text])).toEqual([[kind, text]]);
    },
  );
});

/** Comments that say nothing for a spec. */
const NOTHING: Record<string, string[]> = {
  en: [
    "Thanks a lot for looking into this!",
    "Go ahead, please write the spec.",
    "Can I work on this one?",
    "I'll have a look at it next week.",
    "Any update on this?",
    "Could you share your config and the version you use?",
    "Which separator do you use?",
    "> The column order must not change.",
    "```\nTypeError: must not be empty\n    at parse (a.js:3:1)\n```",
    "`must not change`",
    "https://example.com/please-keep-this",
    "👍",
    "Hi @ann, good question!",
  ],
  de: [
    "Vielen Dank für die schnelle Antwort!",
    "Leg los, schreib bitte die Spec.",
    "Ich schaue mir das nächste Woche an.",
    "Kannst du bitte die Logs posten?",
    "Gibt es Neuigkeiten?",
  ],
  fr: [
    "Merci beaucoup pour la réponse rapide !",
    "Vas-y, écris la spec.",
    "Je vais regarder ça la semaine prochaine.",
    "Peux-tu partager la configuration ?",
    "Des nouvelles ?",
  ],
  es: [
    "¡Muchas gracias por la respuesta!",
    "Adelante, escribe la spec.",
    "Voy a mirarlo la semana que viene.",
    "¿Puedes compartir la configuración?",
    "¿Hay novedades?",
  ],
  pt: [
    "Muito obrigada pela resposta!",
    "Pode seguir, escreva a spec.",
    "Vou dar uma olhada na semana que vem.",
    "Você pode compartilhar a configuração?",
    "Alguma novidade?",
  ],
  ru: [
    "Спасибо за быстрый ответ!",
    "Начинай, пиши спецификацию.",
    "Посмотрю на следующей неделе.",
    "Можете приложить логи?",
    "Есть новости?",
  ],
  zh: ["非常感谢你的回复！", "可以开始写规格了。", "我下周来看看。", "能否提供一下日志？", "有进展吗？"],
  ja: [
    "早速のご回答ありがとうございます！",
    "進めてください。",
    "来週見てみます。",
    "ログを共有していただけますか？",
    "進捗はいかがですか？",
  ],
};

test.each(Object.entries(NOTHING).flatMap(([language, texts]) => texts.map((text) => [language, text] as const)))(
  "in %s, nothing is stated by: %s",
  (language, text) => {
    expect(said(language, text)).toEqual([]);
  },
);

/** Courtesies and the go-ahead, beside sentences of the same words that wish something. */
const COURTESIES: Record<string, { courtesies: string[]; wishes: string[]; lead: [string, string] }> = {
  en: {
    courtesies: [
      "Can you fix it please?",
      "can you look?",
      "Please fix this bug asap!",
      "Yes please!",
      "It would be great if someone could look into this.",
      "This should be fixed.",
      "Thanks in advance for your help, please fix it soon.",
    ],
    wishes: [
      "Can you also round the totals?",
      "please make it two columns",
      "Please fix `it`.",
      "Can you fix the header please?",
      "It should look like this.",
      "It should support two currencies.",
    ],
    lead: ["Thanks! One more wish: ", "a fixed coupon should be shown."],
  },
  de: {
    courtesies: [
      "Kannst du das bitte beheben?",
      "Könntet ihr euch das mal anschauen?",
      "Bitte helft mir!",
      "Ja, bitte!",
    ],
    wishes: ["Kannst du bitte die Summen runden?", "Bitte den Kopf beheben."],
    lead: ["Danke! Noch ein Wunsch: ", "der Gutschein soll fest sein."],
  },
  fr: {
    courtesies: [
      "Peux-tu corriger ça s’il te plaît ?",
      "Pouvez-vous m’aider ?",
      "Merci de corriger ce bug.",
      "Oui, svp !",
    ],
    wishes: ["Peux-tu corriger les totaux s’il te plaît ?"],
    lead: ["Merci ! Encore une demande : ", "le total doit être arrondi."],
  },
  es: {
    courtesies: ["¿Puedes arreglarlo, por favor?", "¿Podrías mirarlo?", "Por favor, ayudadme.", "Sí, por favor."],
    wishes: ["¿Puedes arreglar la cabecera, por favor?"],
    lead: ["¡Gracias! Un deseo más: ", "el cupón debe ser fijo."],
  },
  pt: {
    courtesies: ["Você pode corrigir isso, por favor?", "Alguém poderia me ajudar?", "Sim, por favor!"],
    wishes: ["Você pode corrigir o cabeçalho, por favor?"],
    lead: ["Obrigado! Mais um pedido: ", "o cupom deve ser fixo."],
  },
  ru: {
    courtesies: ["Можете исправить это, пожалуйста?", "Пожалуйста, помогите!", "Да, пожалуйста."],
    wishes: ["Пожалуйста, исправьте заголовок."],
    lead: ["Спасибо! Ещё одно пожелание: ", "купон должен быть фиксированным."],
  },
  zh: {
    courtesies: ["请修复一下。", "能不能帮忙解决这个问题？", "麻烦尽快处理，谢谢！"],
    wishes: ["请修复表头。"],
    lead: ["谢谢！还有一个请求：", "优惠券应该固定。"],
  },
  ja: {
    courtesies: [
      "お願いします",
      "はい、お願いします。",
      "よろしくお願いします！",
      "それでお願いします。",
      "この問題を修正してください。",
    ],
    wishes: ["合計の丸めもお願いします", "エラーにしてください。", "見出しを修正してください。よろしくお願いします"],
    lead: ["ありがとうございます！もう一つお願いです：", "クーポンは固定にしてください。"],
  },
};

/** Limits of the result, limits of the work, and what is not possible today. */
const LIMITS: Record<string, Record<"wish" | "bound" | "fact", string[]>> = {
  en: {
    wish: [
      "Make the export work without a header row",
      "return at most 100 rows",
      "it should only print the name",
      "use a lock to avoid double posts",
      "Please show everything except the internal id",
      "The list must not contain duplicates",
      "Users may not see the invoices of others.",
      "Show no more than five suggestions",
    ],
    bound: [
      "don't change the API",
      "no new dependency",
      "leave the cache as is",
      "Please avoid new dependencies",
      "Do it without changing the API",
      "It should work without breaking the old importer",
      "Please only touch `src/a.ts`",
      "Please don't refactor the parser",
      "The public API should not be affected",
    ],
    fact: ["users can not request a new link", "Guests cannot see the button"],
  },
  de: {
    wish: ["Bitte höchstens 100 Zeilen zurückgeben", "Leere Zeilen sollen nicht gezählt werden"],
    bound: [
      "Bitte ohne die API zu ändern",
      "Der alte Endpunkt soll nicht entfernt werden",
      "Die CLI gehört nicht dazu",
    ],
    fact: ["Benutzer können keinen neuen Link anfordern"],
  },
  fr: {
    wish: ["L’export devrait fonctionner sans ligne d’en-tête", "Il faut renvoyer au plus 100 lignes"],
    bound: ["Sans nouvelle dépendance, merci", "Merci de le faire sans changer l’API"],
    fact: ["Les utilisateurs ne peuvent pas demander un nouveau lien"],
  },
  es: {
    wish: ["Por favor, devuelve como máximo 100 filas", "Usa un bloqueo para evitar envíos dobles"],
    bound: ["Sin dependencias nuevas, por favor", "La API no debe cambiar"],
    fact: ["Los usuarios no pueden pedir un enlace nuevo"],
  },
  pt: {
    wish: ["Por favor, retorne no máximo 100 linhas", "Deve mostrar apenas o nome"],
    bound: ["Sem dependências novas, por favor", "Por favor, sem mudar a API"],
    fact: ["Os usuários não podem pedir um novo link"],
  },
  ru: {
    wish: ["Экспорт должен работать без строки заголовка", "Пожалуйста, возвращайте максимум 100 строк"],
    bound: ["Пожалуйста, без новых зависимостей", "API не должен меняться"],
    fact: ["Пользователи не могут запросить новую ссылку"],
  },
  zh: {
    wish: ["请最多返回 100 行", "请用锁来避免重复提交"],
    bound: ["请不要引入新依赖", "API 不能变"],
    fact: ["用户不能申请新的链接"],
  },
  ja: {
    wish: ["最大 100 行だけ返してください", "二重送信を避けるためにロックを使ってください"],
    bound: ["API は変えないでください"],
    fact: ["ユーザーは新しいリンクを申請できません"],
  },
};

describe.each(Object.entries(LIMITS))("in %s", (language, byKind) => {
  test.each(Object.entries(byKind).flatMap(([kind, texts]) => texts.map((text) => [kind, text] as const)))(
    "a limit is one of the work or of its result, %s: %s",
    (kind, text) => {
      expect(said(language, text).map((one) => one.kind)).toEqual([kind]);
    },
  );
});

describe.each(Object.entries(COURTESIES))("in %s", (language, { courtesies, wishes, lead: [lead, wish] }) => {
  test.each(courtesies)("asks, thanks or agrees and wishes nothing: %s", (text) => {
    expect(said(language, text)).toEqual([]);
  });

  test.each(wishes)("wishes something: %s", (text) => {
    expect(said(language, text).map(({ kind }) => kind)).toEqual(["wish"]);
  });

  test("a lead of thanks is left out", () => {
    expect(said(language, lead + wish).map(({ text }) => text)).toEqual([wish]);
  });
});

test("greetings, thanks and a yes before a statement are left out; the rest is as written", () => {
  expect(
    said("en", "Hi @ann, thanks for the report! Yes, but please keep `--all` as it is.").map((one) => one.text),
  ).toEqual(["please keep `--all` as it is."]);
  expect(said("en", "I cannot look into it now, I will get back next week, but don't drop `--all`.")[0]?.text).toBe(
    "don't drop `--all`.",
  );
});

test.each([
  "what about max",
  "who is on call",
  "And why is that",
  "warum erst im März",
  "yes please\n\nBob",
  "yes\n\n-- \nBob Miller\nHead of Finance",
  "yes\n\nAm 29.11.2026 um 10:20 schrieb relay:\n> Shall I write the spec?",
  "ok\n\nOn Sun, 29 Nov 2026 at 10:22, ann <ann@example.com> wrote:\n\nPlease drop the PDF.",
])("a question without its mark, a name below a text and a quoted mail decide nothing: %j", (content) => {
  const issue = { ...(ISSUES["en"] ?? { title: "", body: "" }), labels: [], reporter: "ann" };
  const asked = message({ seq: 1, author: "relay", role: "self", content: "Shall I write the spec?" });
  const { statements, possible } = statementsIn(
    issue,
    [asked, message({ seq: 2, author: "bob", content })],
    new Set(["ann", "bob"]),
  );
  expect(statements.filter((one) => one.message !== null)).toEqual([]);
  expect(possible.flatMap((one) => one.sentences)).toEqual([]);
});

test("Relay, bots and quotations state nothing, and who decides is told by the given logins alone", () => {
  const messages = [
    message({ seq: 1, author: "relay", role: "self", content: "Please keep the importer." }),
    message({ seq: 2, author: "ci", isBot: true, content: "The coverage must not drop." }),
    message({ seq: 3, author: "eve", content: "I am the maintainer and I decide: no CSV at all." }),
    message({ seq: 4, author: "Bob", content: "> no CSV at all\n\nPlease keep the PDF." }),
  ];
  expect(found("en", messages, ["bob"]).map((one) => [one.author, one.message, one.decides])).toEqual([
    ["eve", 3, false],
    ["Bob", 4, true],
  ]);
});

describe("an agreement of somebody who decides", () => {
  const wish = message({ seq: 1, author: "eve", content: "I would propose to remove the cache of conditions." });

  test.each([
    ["en", "I agree."],
    ["en", "+1 to @eve's idea"],
    ["en", "👍"],
    ["de", "Da stimme ich zu."],
    ["fr", "Je suis d’accord avec @eve."],
    ["es", "Estoy de acuerdo."],
    ["pt", "Concordo com @eve."],
    ["ru", "Согласен, так и сделаем."],
    ["zh", "同意 @eve 的想法"],
    ["ja", "@eve さんの案に賛成です。"],
  ])("makes what was said before a decision: %s %s", (_, content) => {
    const thread = [wish, message({ seq: 2, author: "bob", content })];
    expect(found("en", thread, ["bob"])).toMatchObject([
      { kind: "decision", author: "eve", message: 1, decides: true, agreedIn: 2 },
    ]);
    expect(found("en", thread, ["ann"])).toMatchObject([{ kind: "wish", decides: false, agreedIn: null }]);
  });

  test("names what it quotes, and leaves the rest of the thread", () => {
    const thread = [
      wish,
      message({ seq: 2, author: "kim", content: "Please rename the option as well." }),
      message({
        seq: 3,
        author: "bob",
        content: "> I would propose to remove the cache of conditions.\n\nI agree:\n\n* it slows nothing down",
      }),
    ];
    expect(found("en", thread, ["bob"]).map((one) => [one.author, one.kind])).toEqual([
      ["eve", "decision"],
      ["kim", "wish"],
    ]);
  });

  test("with a quotation from elsewhere is a decision in the quoted words", () => {
    const thread = [
      message({
        seq: 1,
        author: "bob",
        content: "> I think the best fix is to simply remove the caching.\n\nI agree.",
      }),
    ];
    expect(found("en", thread)).toMatchObject([
      { kind: "decision", text: "I think the best fix is to simply remove the caching.", author: "bob", message: 1 },
    ]);
  });

  test("says more than that it agrees", () => {
    expect(
      found("en", [wish, message({ seq: 2, author: "bob", content: "Agreed, and the flag must stay." })], ["bob"]),
    ).toMatchObject([
      { kind: "decision", author: "eve" },
      { kind: "bound", text: "the flag must stay.", author: "bob" },
    ]);
  });

  test("that follows Relay's own question is a go-ahead, and agrees with nobody else", () => {
    const thread = [
      wish,
      message({ seq: 2, author: "relay", role: "self", content: "Shall I write the spec?" }),
      message({ seq: 3, author: "bob", content: "Sounds good!" }),
    ];
    expect(found("en", thread, ["bob"])).toMatchObject([{ kind: "wish", decides: false }]);
  });

  test.each(["I don't agree.", "I disagree.", "Do you agree?"])("is no agreement: %s", (content) => {
    expect(found("en", [wish, message({ seq: 2, author: "bob", content })], ["bob"])[0]).toMatchObject({
      kind: "wish",
    });
  });
});

test("what its author takes back is superseded", () => {
  const thread = [
    message({ seq: 1, author: "bob", content: "Please remove the `--legacy` flag." }),
    message({ seq: 2, author: "bob", content: "Rows must be sorted by date." }),
    message({ seq: 3, author: "eve", content: "Actually, please keep the `--legacy` flag." }),
    message({ seq: 4, author: "bob", content: "Actually, no, keep the `--legacy` flag." }),
  ];
  expect(found("en", thread).map((one) => one.supersededBy)).toEqual([4, null, null, null]);
});

/** What is said, by whom, and by which message it is overruled; ann and bob decide, eve does not. */
const OVERRULED: [language: string, turns: [string, string][], by: (number | null)[]][] = [
  [
    "en",
    [
      ["bob", "Let's add a preview of the file."],
      ["ann", "On reflection let's not do the preview."],
    ],
    [2, null],
  ],
  [
    "en",
    [
      ["bob", "Let's add a preview of the file."],
      ["ann", "I overrule that."],
    ],
    [2, null],
  ],
  [
    "en",
    [
      ["bob", "Please write the currency into each row."],
      ["ann", "Scrap that."],
    ],
    [2, null],
  ],
  [
    "en",
    [
      ["bob", "Please write the currency into each row."],
      ["ann", "That's out."],
    ],
    [2, null],
  ],
  [
    "en",
    [
      ["bob", "Please remove the `--legacy` flag."],
      ["eve", "Sort by date, please."],
      ["ann", "@bob no: keep the flag"],
    ],
    [3, null, null],
  ],
  [
    "en",
    [
      ["bob", "Let's go with tabs."],
      ["ann", "We'll go with commas instead of tabs."],
    ],
    [2, null],
  ],
  [
    "en",
    [
      ["bob", "Let's go with option A."],
      ["ann", "We'll go with option B instead of option A."],
    ],
    [2, null],
  ],
  [
    "en",
    [
      ["bob", "Let's go with A."],
      ["ann", "We'll go with B instead of A."],
    ],
    [2, null],
  ],
  [
    "en",
    [
      ["bob", "Let's add a preview of the file."],
      ["eve", "On reflection let's not do the preview."],
    ],
    [null, null],
  ],
  [
    "en",
    [
      ["eve", "Please add a preview of the file."],
      ["bob", "Agreed."],
      ["ann", "Scrap that."],
    ],
    [3, null],
  ],
  [
    "en",
    [
      ["bob", "Rows must be sorted by date."],
      ["ann", "Actually, rows must be sorted by name."],
    ],
    [2, null],
  ],
  [
    "en",
    [
      ["bob", "Please add a column for the tax."],
      ["bob", "Please add a column for the date."],
      ["ann", "On second thought, no column for the date."],
    ],
    [null, 3, null],
  ],
  [
    "en",
    [
      ["bob", "Please add the name column."],
      ["ann", "Actually, please also add the date column."],
    ],
    [null, null],
  ],
  [
    "en",
    [
      ["bob", "Please add the name column."],
      ["ann", "Actually the import reads `name` from the old file."],
    ],
    [null, null],
  ],
  [
    "en",
    [
      ["bob", "Please add the name column. Please round the totals."],
      ["ann", "Scrap that."],
    ],
    [null, null],
  ],
  [
    "en",
    [
      ["bob", "Let's keep the flag."],
      ["ann", "No, let's drop the flag."],
    ],
    [2, null],
  ],
  [
    "en",
    [
      ["bob", "Please cache the totals."],
      ["ann", "We won't cache the totals."],
    ],
    [2, null],
  ],
  [
    "en",
    [
      ["bob", "Please cache the totals."],
      ["ann", "> Please cache the totals.\n\nNo, that's off the table."],
    ],
    [2, null],
  ],
  [
    "en",
    [
      ["bob", "Please drop the header row."],
      ["ann", "I changed my mind about the header row, keep it."],
    ],
    [2, null],
  ],
  [
    "en",
    [
      ["bob", "Please drop the header row."],
      ["ann", "Don't change the PDF export."],
    ],
    [null, null],
  ],
  [
    "en",
    [
      ["bob", "Please drop the header row."],
      ["ann", "Don't drop the header row."],
    ],
    [2, null],
  ],
  [
    "de",
    [
      ["bob", "Bitte den Schalter `--alt` entfernen."],
      ["ann", "Den Schalter `--alt` doch wieder behalten."],
    ],
    [2, null],
  ],
  [
    "de",
    [
      ["bob", "Lass uns eine Vorschau einbauen."],
      ["ann", "Nach kurzem Nachdenken: keine Vorschau."],
    ],
    [2, null],
  ],
  [
    "de",
    [
      ["bob", "Wir nehmen Tabs."],
      ["ann", "Wir nehmen Kommas statt Tabs."],
    ],
    [2, null],
  ],
  [
    "de",
    [
      ["bob", "Lass uns eine Vorschau einbauen."],
      ["ann", "Das ist vom Tisch."],
    ],
    [2, null],
  ],
  [
    "es",
    [
      ["bob", "Hagamos una vista previa del archivo."],
      ["ann", "Pensándolo bien, no hagamos la vista previa."],
    ],
    [2, null],
  ],
  [
    "es",
    [
      ["bob", "Pongamos tabuladores como separador."],
      ["ann", "Usemos comas en lugar de tabuladores."],
    ],
    [2, null],
  ],
  [
    "fr",
    [
      ["bob", "Faisons un aperçu du fichier."],
      ["ann", "Réflexion faite, ne faisons pas l’aperçu."],
    ],
    [2, null],
  ],
  [
    "fr",
    [
      ["bob", "Ajoutons un aperçu du fichier."],
      ["ann", "Finalement, pas d’aperçu."],
    ],
    [2, null],
  ],
  [
    "pt",
    [
      ["bob", "Vamos mostrar uma prévia do arquivo."],
      ["ann", "Pensando melhor, não vamos mostrar a prévia."],
    ],
    [2, null],
  ],
  [
    "ru",
    [
      ["bob", "Давайте добавим предпросмотр файла."],
      ["ann", "Подумав, давайте не добавлять предпросмотр."],
    ],
    [2, null],
  ],
  [
    "ru",
    [
      ["bob", "Давайте добавим предпросмотр файла."],
      ["ann", "Отменяю это."],
    ],
    [2, null],
  ],
  [
    "zh",
    [
      ["bob", "我们加一个预览吧。"],
      ["ann", "再想想，我们不要预览。"],
    ],
    [2, null],
  ],
  [
    "zh",
    [
      ["bob", "我们用制表符吧。"],
      ["ann", "我们用逗号而不是制表符吧。"],
    ],
    [2, null],
  ],
  [
    "ja",
    [
      ["bob", "プレビューを追加しよう。"],
      ["ann", "やっぱりプレビューはやめましょう。"],
    ],
    [2, null],
  ],
  [
    "ja",
    [
      ["bob", "タブを使いましょう。"],
      ["ann", "タブの代わりにコンマを使いましょう。"],
    ],
    [2, null],
  ],
];

test.each(OVERRULED)(
  "a decision overrules what speaks of the same, and nothing else (%s): %j",
  (language, turns, by) => {
    const thread = turns.map(([author, content], index) => message({ seq: index + 1, author, content }));
    expect(found(language, thread).map((one) => one.supersededBy)).toEqual(by);
  },
);

test.each([
  ["en", "Let's sort the rows by name."],
  ["en", "let us cache the totals"],
  ["de", "Lass uns die Summen zwischenspeichern."],
  ["es", "Guardemos los totales."],
  ["fr", "Ajoutons une colonne pour la taxe."],
  ["pt", "Vamos ordenar as linhas por nome."],
  ["ru", "Давайте отсортируем строки по имени."],
  ["zh", "我们按名称排序吧。"],
  ["ja", "名前順に並べよう。"],
])("what somebody who decides proposes to all is a decision (%s): %s", (language, text) => {
  expect(said(language, text).map((one) => one.kind)).toEqual(["decision"]);
});

test.each<[string, [string, string][], [string, number | null, string][]]>([
  [
    "en",
    [
      ["bob", "It should exit with code 3 when nothing is overdue."],
      ["bob", "I take back what I said about the exit code, it stays 0."],
    ],
    [
      ["wish", 2, "It should exit with code 3 when nothing is overdue."],
      ["decision", null, "I take back what I said about the exit code, it stays 0."],
    ],
  ],
  [
    "en",
    [
      ["bob", "The exit code should be 3 when nothing is overdue."],
      ["ann", "No. The exit code must be 0 when nothing is overdue."],
    ],
    [
      ["wish", 2, "The exit code should be 3 when nothing is overdue."],
      ["wish", null, "The exit code must be 0 when nothing is overdue."],
    ],
  ],
  [
    "de",
    [
      ["bob", "Der Exit-Code soll 3 sein, wenn nichts überfällig ist."],
      ["ann", "Nein, der Exit-Code bleibt 0. Und die Meldung geht nach stderr."],
    ],
    [
      ["wish", 2, "Der Exit-Code soll 3 sein, wenn nichts überfällig ist."],
      ["bound", null, "Nein, der Exit-Code bleibt 0."],
      ["decision", null, "Und die Meldung geht nach stderr."],
    ],
  ],
  [
    "en",
    [
      ["bob", "Hide the paid ones, but only when the flag --strict is given."],
      [
        "ann",
        "No flag please. Hide paid ones always, whatever the flags. And an invoice with a credit counts as paid.",
      ],
      ["bob", "No flag then."],
    ],
    [
      ["wish", 2, "Hide the paid ones, but only when the flag --strict is given."],
      ["bound", null, "No flag please."],
      ["wish", null, "Hide paid ones always, whatever the flags."],
      ["decision", null, "And an invoice with a credit counts as paid."],
      ["bound", null, "No flag then."],
    ],
  ],
])("who decides is heard to the end, and repeating it takes nothing back (%s): %j", (language, turns, expected) => {
  const thread = turns.map(([author, content], index) => message({ seq: index + 1, author, content }));
  expect(found(language, thread).map(({ kind, supersededBy, text }) => [kind, supersededBy, text])).toEqual(expected);
});

/** Who says what, and what of it holds in the end, by kind; ann and bob decide, ruth does not. */
const TAKEN_UP: [language: string, turns: [string, string][], holds: [string, string][]][] = [
  [
    "en",
    [
      ["ann", "The exit code must be 3 when nothing is overdue."],
      ["ruth", "I think it should be 0, scripts run with set -e."],
      ["ann", "Ruth's idea is better."],
    ],
    [["decision", "I think it should be 0, scripts run with set -e."]],
  ],
  [
    "en",
    [
      ["ann", "The exit code must be 3 when nothing is overdue."],
      ["ruth", "I would keep 0, scripts run with `set -e`."],
      ["ann", "Fair point, 0 then."],
    ],
    [["decision", "I would keep 0, scripts run with `set -e`."]],
  ],
  [
    "en",
    [
      ["ann", "The message must go to stderr."],
      ["ruth", "Our scripts read stdout."],
      ["ann", "Hm, scripts read stdout, so stdout it is."],
    ],
    [
      ["fact", "Our scripts read stdout."],
      ["decision", "Hm, scripts read stdout, so stdout it is."],
    ],
  ],
  [
    "en",
    [
      ["ann", "There must be a setting for the old order."],
      ["ann", "I changed my mind: no setting, use a flag instead."],
    ],
    [["bound", "I changed my mind: no setting, use a flag instead."]],
  ],
  [
    "en",
    [
      ["ann", "Let's add a setting `order` to the config."],
      ["ann", "Scrap the setting. We go with the flag."],
    ],
    [
      ["decision", "Scrap the setting."],
      ["decision", "We go with the flag."],
    ],
  ],
  [
    "en",
    [
      ["ann", "Old files must be deleted after 7 days."],
      ["ann", "It must be 14 days instead of 7."],
    ],
    [["decision", "It must be 14 days instead of 7."]],
  ],
  [
    "en",
    [
      ["ann", "Old files must be deleted after 7 days."],
      ["ann", "Please delete old files after 14 days."],
    ],
    [["wish", "Please delete old files after 14 days."]],
  ],
  [
    "de",
    [
      ["ann", "Alte Dateien sollen nach 7 Tagen gelöscht werden."],
      ["ann", "Es müssen 14 Tage sein statt 7."],
    ],
    [["decision", "Es müssen 14 Tage sein statt 7."]],
  ],
  [
    "en",
    [
      ["bob", "Let's use tabs."],
      ["ann", "Let's use spaces."],
    ],
    [["decision", "Let's use spaces."]],
  ],
  [
    "en",
    [
      ["ann", "Please exit with code 3 when nothing is overdue."],
      ["ann", "Please exit with code 0 when nothing is overdue."],
    ],
    [["wish", "Please exit with code 0 when nothing is overdue."]],
  ],
  [
    "en",
    [
      ["ann", "The export must be in JSON."],
      ["ruth", "CSV would be better for our accountants."],
      ["ann", "CSV it is."],
    ],
    [["decision", "CSV would be better for our accountants."]],
  ],
  [
    "en",
    [
      ["ann", "Rows must be sorted by date."],
      ["ruth", "By name would be easier to read."],
      ["ann", "You're right, by name."],
    ],
    [["decision", "By name would be easier to read."]],
  ],
  [
    "en",
    [
      ["ruth", "Should it match a prefix or a substring?"],
      ["ann", "Substring."],
      ["ruth", "OK, substring."],
    ],
    [["decision", "Should it match a prefix or a substring? Substring."]],
  ],
  [
    "en",
    [
      ["ruth", "I would take noon."],
      ["ann", "let's do that"],
    ],
    [["decision", "I would take noon."]],
  ],
  [
    "en",
    [
      ["ruth", "Could the server keep the last ten?"],
      ["ann", "Yes, do that."],
    ],
    [["decision", "Could the server keep the last ten?"]],
  ],
  [
    "en",
    [
      ["ruth", "I'd call the code STORE_DAMAGED or STORE_BROKEN."],
      ["ann", "agreed. STORE_DAMAGED it is."],
    ],
    [["decision", "I'd call the code STORE_DAMAGED or STORE_BROKEN. STORE_DAMAGED it is."]],
  ],
  [
    "de",
    [
      ["ann", "Der Exit-Code muss 3 sein, wenn nichts überfällig ist."],
      ["ruth", "Ich fände 0 besser, Skripte laufen mit set -e."],
      ["ann", "Ach nein, doch nicht: 0 ist richtig, so wie Ruth schreibt."],
    ],
    [["decision", "Ich fände 0 besser, Skripte laufen mit set -e."]],
  ],
  [
    "de",
    [
      ["ann", "Die Liste muss nach Datum sortiert sein."],
      ["ruth", "Nach Name fände ich lesbarer."],
      ["ann", "Ruth hat recht, dann nach Name."],
    ],
    [["decision", "Nach Name fände ich lesbarer."]],
  ],
  [
    "de",
    [
      ["ruth", "Ich würde 12 Uhr nehmen."],
      ["ann", "Machen wir so."],
    ],
    [["decision", "Ich würde 12 Uhr nehmen."]],
  ],
  [
    "es",
    [
      ["ann", "El código de salida debe ser 3 si no hay nada."],
      ["ruth", "Yo pondría 0, los scripts usan set -e."],
      ["ann", "Ruth tiene razón, entonces 0."],
    ],
    [["decision", "Yo pondría 0, los scripts usan set -e."]],
  ],
  [
    "fr",
    [
      ["ann", "Le code de sortie doit être 3 quand il n'y a rien."],
      ["ruth", "Je mettrais plutôt 0, les scripts utilisent set -e."],
      ["ann", "L'idée de Ruth est meilleure."],
    ],
    [["decision", "Je mettrais plutôt 0, les scripts utilisent set -e."]],
  ],
  [
    "fr",
    [
      ["ruth", "Faut-il un préfixe ou une sous-chaîne ?"],
      ["ann", "Une sous-chaîne."],
    ],
    [["decision", "Faut-il un préfixe ou une sous-chaîne ? Une sous-chaîne."]],
  ],
  [
    "pt",
    [
      ["ann", "O código de saída deve ser 3 quando não há nada."],
      ["ruth", "Eu usaria 0, os scripts usam set -e."],
      ["ann", "Ruth tem razão, então 0."],
    ],
    [["decision", "Eu usaria 0, os scripts usam set -e."]],
  ],
  [
    "ru",
    [
      ["ann", "Код выхода должен быть 3, если ничего нет."],
      ["ruth", "Лучше 0, скрипты используют set -e."],
      ["ann", "Ты права, тогда 0."],
    ],
    [["decision", "Лучше 0, скрипты используют set -e."]],
  ],
  [
    "zh",
    [
      ["ann", "没有数据时退出码必须是 3。"],
      ["ruth", "我觉得应该是 0，脚本用了 set -e。"],
      ["ann", "ruth 说得对。"],
    ],
    [["decision", "我觉得应该是 0，脚本用了 set -e。"]],
  ],
  [
    "ja",
    [
      ["ann", "何もないとき終了コードは3にしてください。"],
      ["ruth", "0のほうがいいと思います。"],
      ["ann", "ruthさんの案がいいです。では0で。"],
    ],
    [["decision", "0のほうがいいと思います。"]],
  ],
  [
    "ja",
    [
      ["ruth", "前方一致と部分一致のどちらがいいですか？"],
      ["ann", "部分一致でお願いします。"],
    ],
    [["decision", "前方一致と部分一致のどちらがいいですか？ 部分一致でお願いします。"]],
  ],
];

test.each(TAKEN_UP)(
  "what somebody who decides takes of what others said is decided (%s): %j",
  (language, turns, holds) => {
    const thread = turns.map(([author, content], index) => message({ seq: index + 1, author, content }));
    const held = found(language, thread).filter((one) => one.supersededBy === null);
    expect(held.map(({ kind, text }) => [kind, text])).toEqual(holds);
  },
);

test.each<{ turns: [string, string][] }>([
  {
    turns: [
      ["ann", "The first column must be 20 wide."],
      ["ann", "The second column must be 30 wide."],
    ],
  },
  {
    turns: [
      ["ann", "Write the totals to stdout."],
      ["ann", "Write warnings to stderr."],
    ],
  },
  {
    turns: [
      ["ann", "Log a warning before the upload."],
      ["ann", "Log the size after the upload."],
    ],
  },
  {
    turns: [
      ["ann", "Retry 3 times."],
      ["bob", "Keep 5 backups."],
    ],
  },
  {
    turns: [
      ["ann", "The file name must be in the header."],
      ["ruth", "Could you close it?"],
      ["ann", "OK, close it then."],
    ],
  },
  {
    turns: [
      ["ann", "It must sort by date, name and size."],
      ["ruth", "Does it sort by date today?"],
      ["ann", "Yes, by date."],
    ],
  },
  {
    turns: [
      ["ann", "Please add a date column."],
      ["ruth", "Can you reproduce it?"],
      ["ann", "Yes, do that."],
    ],
  },
  {
    turns: [
      ["ann", "Status 404 must be retried."],
      ["ann", "Status 500 must be retried."],
    ],
  },
  {
    turns: [
      ["ann", "404 responses must be logged."],
      ["bob", "500 responses must be logged."],
    ],
  },
  {
    turns: [
      ["ann", "Version 2 must be supported."],
      ["ann", "Version 3 must be supported."],
    ],
  },
  {
    turns: [
      ["ann", "Please export as JSON."],
      ["ann", "Please export as CSV."],
    ],
  },
  {
    turns: [
      ["ann", "The limit must be 10."],
      ["bob", "The timeout must be 60 seconds."],
    ],
  },
  {
    turns: [
      ["ann", "Rows must be sorted by date."],
      ["ruth", "It could be a race condition."],
      ["ann", "Exactly."],
    ],
  },
  {
    turns: [
      ["ann", "Rows must be sorted by date."],
      ["ruth", "The header is missing too."],
      ["ann", "You're right, thanks for the hint."],
    ],
  },
])("another value of something else, and an answer that decides nothing, leave what holds: $turns", ({ turns }) => {
  const thread = turns.map(([author, content], index) => message({ seq: index + 1, author, content }));
  const all = found("en", thread);
  expect(all.filter((one) => one.supersededBy !== null)).toEqual([]);
  expect(all.filter((one) => one.kind === "decision")).toEqual([]);
});

test("who does not decide overrules nobody who does, and who was overruled may insist", () => {
  const thread = [
    message({ seq: 1, author: "bob", content: "Let's add a preview of the file." }),
    message({ seq: 2, author: "eve", content: "Scrap the preview." }),
    message({ seq: 3, author: "ann", content: "On reflection, no preview." }),
    message({ seq: 4, author: "bob", content: "No, let's do the preview after all." }),
  ];
  expect(found("en", thread).map((one) => [one.message, one.supersededBy])).toEqual([
    [1, 3],
    [3, 4],
    [4, null],
  ]);
});

test("the issue's own text states its reporter's bounds, wishes and conditions", () => {
  const issue = {
    title: "Deleting a folder leaves its previews",
    body: "Previews of deleted folders stay on disk.\nIt only happens with nested folders.\n\nThe trash must keep working as today.\n\n### Environment\n\nNode 20 only\n\n```\nmust not be read\n```",
    labels: ["bug"],
    reporter: "ann",
  };
  const { statements } = statementsIn(issue, [], new Set(["ann"]));
  expect(statements.map(({ kind, text, message: seq, decides }) => [kind, text, seq, decides])).toEqual([
    ["bound", "The trash must keep working as today.", null, true],
    ["fact", "It only happens with nested folders.", null, true],
  ]);
});

test("limits count what they leave out", () => {
  const many = Array.from({ length: 40 }, (_, index) => `- Please keep column ${index}.`).join("\n");
  const { statements, omitted } = statementsIn(
    { title: "Columns", body: "", labels: [], reporter: "ann" },
    [message({ seq: 1, content: many }), message({ seq: 2, content: `Please keep it. ${"x ".repeat(15_000)}` })],
    new Set(["ann"]),
  );
  expect(statements.length + omitted.statements).toBe(41);
  expect(statements.filter((one) => one.message === 1)).toHaveLength(12);
  expect(omitted.characters).toBe(10_016);
  expect(Math.max(...statements.map(({ text }) => text.length))).toBeLessThanOrEqual(400);
});

test("what explains, excuses or estimates is no wish and no bound; code keeps its underscores", () => {
  const kinds = (...texts: string[]) => said("en", ...texts).map(({ kind, text }) => [kind, text]);
  expect(
    kinds(
      "I suggest to add a setting `csv_layout = wide` for the transition.",
      "It would be lovely if you could send us a pull request.",
      "That shouldn't be too hard to build.",
      "How about the rows that have no date?",
      "We copy each row since every column has to be listed by hand.",
      "Renaming the column is a breaking change for our importer.",
      "What is the use case that this should serve.",
      "Run `convert _raw/in.csv` and see.",
    ),
  ).toEqual([
    ["wish", "I suggest to add a setting `csv_layout = wide` for the transition."],
    ["fact", "We copy each row since every column has to be listed by hand."],
    ["fact", "Renaming the column is a breaking change for our importer."],
    ["fact", "Run `convert _raw/in.csv` and see."],
  ]);
});

test("a report's background and its complaints are no wishes", () => {
  const body =
    "Sometimes I need to check all rows, and for that the preview is fine - but its totals aren't readable.\n\n" +
    "Because I want to keep the header when the file is full I need to use the writer.\n\n" +
    "The only one that prints totals is the PDF, and it doesn't wrap (I'll have to write a macro).\n\nPlease keep the preview.";
  const { statements } = statementsIn({ title: "Rows", body, labels: [], reporter: "ann" }, [], new Set(["ann"]));
  expect(statements.map(({ kind, text }) => [kind, text])).toEqual([["bound", "Please keep the preview."]]);
});

describe("what an issue's form and its steps say is no wish", () => {
  const wishesOf = (body: string, labels = ["bug"]) =>
    statementsIn({ title: "The panel is too high", body, labels, reporter: "ann" }, [], new Set())
      .statements.filter(({ kind }) => kind === "wish")
      .map(({ text }) => text);

  test.each([
    ["steps", "- Move panel from left to right\n- Use the mouse\n\nThe size is not retained."],
    [
      "steps under a title",
      "## Steps to Reproduce\n\n1. Add to settings.json\n2. Start typing\n\n## Actual\n\nIt fails.",
    ],
    [
      "folded versions",
      "It is too high.\n\n<details>\n<summary>System Info</summary>\n\n|Item|Value|\n|---|---|\n|Load (avg)|3|\n|Read (MB)|4|\n\n</details>",
    ],
    ["a promise", "- [x] The issue is present in the latest release.\n- [x] Use the form.\n\nIt is too high."],
    ["an answer to a form", "### Is this a regression?\n\nYes, show me another.\n\n### Description\n\nIt is too high."],
    [
      "a doubt",
      "It is too high. I haven't seen any sign that this is expected behavior, so I'm opening an issue here.",
    ],
    ["a complaint", "It is too high. This is really annoying. Would be great."],
  ])("%s", (_, body) => {
    expect(wishesOf(body)).toEqual([]);
  });

  test("what a list asks for is, and so is what stands behind folded text", () => {
    expect(wishesOf("It is too high.\n\nTo fix it, we need to:\n\n- Use the height of the row\n- Add a test")).toEqual([
      "Use the height of the row",
      "Add a test",
    ]);
    expect(wishesOf("1. Open it\n2. The panel should be 16px high")).toEqual(["The panel should be 16px high"]);
    expect(wishesOf("- Add a panel\n- Use its height", ["enhancement"])).toEqual(["Add a panel", "Use its height"]);
    const folded = "<details>\n<summary>Logs</summary>\n\nUse the force.\n\n</details>\n\nUse the height of the row.";
    expect(wishesOf(`It is too high.\n\n${folded}`)).toEqual(["Use the height of the row."]);
  });
});

test.each([
  ["en", "Not yet."],
  ["en", "No, not now please"],
  ["de", "Noch nicht."],
  ["fr", "Pas encore."],
  ["es", "Todavía no."],
  ["pt", "Ainda não."],
  ["ru", "Пока нет."],
  ["zh", "还没有"],
  ["ja", "まだです"],
])("who puts it off bounds nothing (%s): %s", (language, text) => {
  expect(said(language, text)).toEqual([]);
});

test.each([
  ["en", "The header must show the version."],
  ["de", "Der Kopf soll die Version zeigen."],
  ["es", "La salida debe mostrar la versión."],
  ["fr", "La commande doit envoyer les détails."],
  ["pt", "O código de saída deve ser 3."],
  ["ru", "Команда должна показать версию."],
])("what the program must tell is no question to the reader (%s): %s", (language, text) => {
  expect(said(language, text).map(({ kind }) => kind)).toEqual(["wish"]);
});

test.each([
  ["en", "Please show the version."],
  ["en", "You should provide the version."],
  ["en", "We should check whether it works."],
])("what the reader is to tell is no wish (%s): %s", (language, text) => {
  expect(said(language, text)).toEqual([]);
});

test("a word that only holds the letters of another one bounds nothing", () => {
  expect(said("ja", "Changelog の strings を表示する").map(({ kind }) => kind)).not.toContain("bound");
});

test.each([
  ["en", "Accents do not have to be handled."],
  ["en", "A preview is not something we'll do."],
  ["en", "A preview is out of the question."],
  ["de", "Eine Vorschau brauche ich nicht."],
  ["de", "Die Vorschau lassen wir außen vor."],
  ["de", "Umlaute müssen nicht behandelt werden."],
  ["fr", "Les accents n'ont pas besoin d'être gérés."],
  ["es", "No hay que tratar los acentos."],
  ["pt", "Não tem que tratar os acentos."],
  ["ru", "Обрабатывать акценты не надо."],
  ["zh", "不用处理重音。"],
  ["ja", "アクセント記号は対応しなくて構いません。"],
])("what nobody needs bounds the work (%s): %s", (language, text) => {
  expect(said(language, text).map(({ kind }) => kind)).toEqual(["bound"]);
});

test.each([
  ["en", "Never overwrite a file that exists."],
  ["en", "The list must survive a restart."],
  ["en", "Don't print the sum twice."],
  ["de", "Bestehende Dateien bitte nicht überschreiben."],
  ["ru", "Никогда не перезаписывай существующий файл."],
  ["zh", "不要覆盖已有的文件。"],
  ["ja", "既存のファイルを上書きしないでください。"],
])("what the program must not do, or must outlast, is wanted (%s): %s", (language, text) => {
  expect(said(language, text).map(({ kind }) => kind)).toEqual(["wish"]);
});

test.each([
  "I only touch the README once a year myself.",
  "I tried to leave src/report alone when I fixed the other one.",
  "Nobody should have to touch the store for that.",
  "Last time we left src/report alone.",
])("what somebody usually does asks for nothing: %s", (text) => {
  expect(said("en", text).filter(({ kind }) => kind !== "fact")).toEqual([]);
});

test("in a request, who decides says what holds without a “must”; who tells of today does not", () => {
  const kinds = (labels: string[]) =>
    statementsIn(
      { title: "Add a limit to the list", body: "", labels, reporter: "ann" },
      [
        "Anything that is not a whole number is a 400.",
        "Zero means no limit.",
        "The default is 10.",
        "An unknown option is an error today.",
      ].map((content, index) => message({ seq: index + 1, author: "ann", content })),
      new Set(["ann"]),
    ).statements.map(({ kind }) => kind);
  expect(kinds(["enhancement"])).toEqual(["wish", "wish", "wish", "fact"]);
  expect(kinds(["bug"])).not.toContain("wish");
});

test.each([
  ["de", "Im README steht keine Adresse.", "Keine neue Adresse."],
  ["de", "Es gibt keine Adresse.", "Wir wollen keine neue Adresse."],
  ["es", "No hay dirección en el README.", "No cambiar la dirección."],
  ["fr", "Le README ne donne aucune adresse.", "Pas de nouvelle adresse."],
  ["pt", "Não há endereço no README.", "Sem novos endereços."],
])("what an issue says that there is not, bounds nothing (%s): %s – %s", (language, lack, bound) => {
  const kinds = (sentence: string) => readSentence(sentence, [language], true).kind;
  expect(kinds(lack)).toBeNull();
  expect(kinds(bound)).toBe("bound");
});
