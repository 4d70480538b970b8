import { describe, expect, test } from "vitest";
import { isForbidden, isNamed, withoutFreed } from "./file-names.ts";
import { placesLeftOut } from "./left-out.ts";
import { forbidsPlaces, placesMeant, staysInPart } from "./places-meant.ts";

describe("the places that a wish names are to change too, in eight languages (R-CONF-9)", () => {
  test.each([
    ["Please also fix `percent` in shop/currency.py: it must round to two digits."],
    ["While you are at it, round in `shop/currency.py`, too (`percent`)."],
    ["In addition to that, `percent` of shop/currency.py must round."],
    ["Bitte auch `percent` in shop/currency.py korrigieren."],
    ["Por favor, corrige también `percent` en shop/currency.py."],
    ["Merci de corriger aussi `percent` dans shop/currency.py."],
    ["Por favor, corrija também `percent` em shop/currency.py."],
    ["Исправь, пожалуйста, также `percent` в shop/currency.py."],
    ["请同时修复 shop/currency.py 里的 `percent`。"],
    ["shop/currency.py の `percent` も修正してください。"],
    ["Not only `shop/currency.py`, but every caller of `percent` as well."],
  ])("%s", (text) => {
    expect(placesMeant(text)).toMatchObject({
      paths: ["shop/currency.py"],
      symbols: ["percent"],
      spared: [],
      corrects: false,
    });
  });
});

describe("what a wish says to leave, or that it is not there, is spared", () => {
  test.each([
    ["Not in shop/basket.py but in shop/currency.py."],
    ["Fix it in shop/currency.py, not in `shop/basket.py`."],
    ["Please fix shop/currency.py and leave shop/basket.py alone."],
    ["Change shop/currency.py instead of shop/basket.py."],
    ["shop/basket.py stays as it is; change shop/currency.py."],
    ["Do not touch shop/basket.py. The place is shop/currency.py."],
    ["Nicht in shop/basket.py, sondern in shop/currency.py."],
    ["Bitte shop/basket.py nicht ändern, dafür shop/currency.py."],
    ["Lass shop/basket.py in Ruhe, ändere shop/currency.py."],
    ["No en shop/basket.py sino en shop/currency.py."],
    ["Deja shop/basket.py como está y cambia shop/currency.py."],
    ["Pas dans shop/basket.py mais dans shop/currency.py."],
    ["Ne touchez pas à shop/basket.py ; corrigez shop/currency.py."],
    ["Não em shop/basket.py, mas em shop/currency.py."],
    ["Não mexa em shop/basket.py; corrija shop/currency.py."],
    ["Не в shop/basket.py, а в shop/currency.py."],
    ["Не трогай shop/basket.py, исправь shop/currency.py."],
    ["不是 shop/basket.py，而是 shop/currency.py。"],
    ["不要改 shop/basket.py，请修改 shop/currency.py。"],
    ["shop/basket.py ではなく shop/currency.py を修正してください。"],
    ["shop/basket.py はそのままで、shop/currency.py を直してください。"],
  ])("%s", (text) => {
    expect(placesMeant(text)).toMatchObject({ paths: ["shop/currency.py"], spared: ["shop/basket.py"] });
  });

  test("several at once, and nothing of what a negation says of behaviour", () => {
    expect(placesMeant("Leave a.py, b.py and `c.py` alone.")).toMatchObject({
      paths: [],
      spared: ["a.py", "b.py", "c.py"],
    });
    expect(placesMeant("It must not round in a.py, and don't forget b.py.")).toMatchObject({
      paths: ["a.py", "b.py"],
      spared: [],
    });
  });
});

test.each([
  ["Use `rounded` from shop/currency.py, please."],
  ["Benutze `rounded` aus shop/currency.py."],
  ["Utilisez `rounded` de shop/currency.py."],
  ["请使用 `rounded`。"],
  ["`rounded` を使ってください。"],
  ["> in shop/currency.py\n\nPlease explain more."],
  ["```\nshop/currency.py\n```\nSee https://example.org/shop/currency.py"],
])("a helper to use, a quotation, output and a link are no places to change: %s", (text) => {
  expect(placesMeant(text)).toMatchObject({ paths: [], symbols: [], spared: [] });
});

test.each([
  ["Fix it in shop/currency.py instead."],
  ["The bug is in shop/currency.py."],
  ["Der Fehler liegt in shop/currency.py."],
  ["El error está en shop/currency.py."],
  ["L’erreur est dans shop/currency.py."],
  ["O erro está em shop/currency.py."],
  ["Ошибка в shop/currency.py."],
  ["问题在 shop/currency.py。"],
  ["原因は shop/currency.py です。"],
])("another place than the planned one: %s", (text) => {
  expect(placesMeant(text)).toMatchObject({ paths: ["shop/currency.py"], corrects: true });
});

test("a name is the end of a path, or a folder of it", () => {
  expect(isNamed("shop/basket.py", ["basket.py"])).toBe(true);
  expect(isNamed("shop/basket.py", ["./shop/"])).toBe(false);
  expect(isNamed("src/shop/basket.py", ["src/shop/"])).toBe(true);
  expect(isNamed("shop/mybasket.py", ["basket.py"])).toBe(false);
});

test("twice the text takes about twice the work: no phrase looks further than its own sentence", () => {
  const hostile = ["leave ", "not in ", "`a` and ", "laisse ", "`a`, ", "不要改 ", "`a` は", "a/", "a."];
  for (const piece of hostile) {
    const text = piece.repeat(Math.ceil(8_000 / piece.length));
    expect(placesMeant(text).paths.length).toBeLessThanOrEqual(200);
  }
});

describe("an order not to touch a place forbids it, also in a text that reports a fault (R-CONF-9)", () => {
  test.each([
    ["Please do not touch `src/sum.js` itself."],
    ["Don’t modify the file src/sum.js, please."],
    ["Leave `src/sum.js` alone."],
    ["Keep src/sum.js as it is."],
    ["Hands off `src/sum.js`!"],
    ["Add the option without changing `src/sum.js`."],
    ["`src/sum.js` must not be changed."],
    ["Bitte `src/sum.js` nicht anfassen."],
    ["Bitte ändere die Datei src/sum.js nicht."],
    ["Lass `src/sum.js` bitte in Ruhe."],
    ["No toques `src/sum.js`."],
    ["Ne touchez pas à `src/sum.js`."],
    ["Não mexa em `src/sum.js`."],
    ["Не трогай `src/sum.js`."],
    ["请不要修改 `src/sum.js`。"],
    ["`src/sum.js` は変更しないでください。"],
    ["Keep your hands off `src/sum.js`."],
    ["Please don’t make any changes to `src/sum.js`."],
    ["`src/sum.js` is out of bounds."],
    ["`src/sum.js` is not yours to change."],
    ["Avoid touching src/sum.js."],
    ["Changes to `src/sum.js` are not allowed."],
    ["You may not change `src/sum.js`."],
    ["Lassen Sie `src/sum.js` bitte unverändert."],
    ["Bitte ändern Sie `src/sum.js` nicht."],
    ["Rühren Sie `src/sum.js` nicht an."],
    ["Hände weg von `src/sum.js`."],
    ["Bitte nichts an `src/sum.js` ändern."],
    ["`src/sum.js` darf nicht geändert werden."],
    ["Por favor, no hay que tocar `src/sum.js`."],
    ["`src/sum.js` no se debe modificar."],
    ["Deja `src/sum.js` tal como está."],
    ["Evita tocar `src/sum.js`."],
    ["Merci de laisser `src/sum.js` tel quel."],
    ["Veuillez ne pas modifier `src/sum.js`."],
    ["On ne touche pas à `src/sum.js`."],
    ["`src/sum.js` doit rester inchangé."],
    ["Não edite `src/sum.js`."],
    ["Não se deve mexer em `src/sum.js`."],
    ["`src/sum.js` deve ficar como está."],
    ["Не трогайте `src/sum.js`."],
    ["Пожалуйста, не трогайте `src/sum.js`."],
    ["Оставьте `src/sum.js` без изменений."],
    ["`src/sum.js` трогать нельзя."],
    ["Не вносите изменений в `src/sum.js`."],
    ["Просьба не менять `src/sum.js`."],
    ["`src/sum.js` に手を加えないでください。"],
    ["`src/sum.js` の変更は禁止です。"],
    ["禁止修改 `src/sum.js`。"],
    ["`src/sum.js` 请不要修改。"],
    ["请保持 `src/sum.js` 不变。"],
    ["Please, leave `src/sum.js` exactly as it is."],
    ["`src/sum.js` needs to stay as it is."],
    ["Lass die Finger von `src/sum.js`."],
    ["Gardez `src/sum.js` tel quel."],
    ["Merci de ne rien changer dans `src/sum.js`."],
    ["`src/sum.js` нельзя трогать."],
    ["Could you please not touch `src/sum.js`?"],
    ["Would you leave `src/sum.js` alone?"],
    ["Thanks! Can you avoid changing `src/sum.js`, please?"],
    ["Könntest du bitte `src/sum.js` nicht anfassen?"],
    ["¿Podrías no tocar `src/sum.js`?"],
    ["Pourriez-vous ne pas toucher à `src/sum.js` ?"],
    ["Poderia não mexer em `src/sum.js`?"],
    ["Не могли бы вы не трогать `src/sum.js`?"],
    ["能否不要修改 `src/sum.js`？"],
    ["`src/sum.js` は触らないでもらえますか？"],
    ["`src/sum.js` must not change."],
    ["不应该修改 `src/sum.js`。"],
    ["Would you mind leaving src/sum.js alone?"],
    ["Would you mind not touching src/sum.js?"],
    ["I'd rather you didn't touch src/sum.js."],
    ["I would prefer if you left `src/sum.js` as it is."],
    ["Make sure that src/sum.js stays untouched."],
    ["Can we keep src/sum.js out of this?"],
    ["src/sum.js bleibt bitte, wie sie ist."],
    ["Pourrais-tu ne pas toucher à src/sum.js, s'il te plaît ?"],
    ["¿Podrías no tocar src/sum.js, por favor?"],
    ["src/sum.js лучше не менять."],
    ["I don't want `src/sum.js` to be changed."],
    ["I don't want `src/sum.js` changed."],
    ["I do not want any changes in `src/sum.js`."],
    ["We don't want to touch `src/sum.js`."],
    ["Nobody may edit `src/sum.js`."],
    ["`src/sum.js` has to stay byte for byte the same."],
    ["`src/sum.js` is fine as it is, don't change it."],
    ["Solve this without touching `src/sum.js`."],
    ["`src/sum.js` is owned by another team, so leave it alone."],
    ["Finger weg von `src/sum.js`!"],
    ["Ich möchte nicht, dass `src/sum.js` geändert wird."],
    ["An `src/sum.js` wird nichts geändert."],
    ["`src/sum.js` bitte so lassen."],
    ["Je ne veux pas que `src/sum.js` soit modifié."],
    ["Surtout, ne change rien à `src/sum.js`."],
    ["No quiero que se toque `src/sum.js`."],
    ["No quiero cambios en `src/sum.js`."],
    ["Não quero que mexam em `src/sum.js`."],
    ["Não quero mudanças em `src/sum.js`."],
    ["Не хочу, чтобы трогали `src/sum.js`."],
    ["Файл `src/sum.js` не менять!"],
    ["我不希望修改 `src/sum.js`。"],
    ["不希望改动 `src/sum.js`。"],
    ["`src/sum.js` は変えたくないです。"],
    ["`src/sum.js` は変更不要です。"],
    ["`src/sum.js` must be left alone."],
    ["There must be no changes in `src/sum.js`."],
    ["Please make sure not to touch `src/sum.js`."],
    ["It's important that `src/sum.js` is not modified."],
    ["`src/sum.js`: do not touch!"],
    ["Don't mess with `src/sum.js`."],
    ["`src/sum.js` — leave as is."],
  ])("%s", (text) => {
    expect(placesMeant(text).forbidden).toEqual(["src/sum.js"]);
  });

  test.each([
    ["I do not touch `src/sum.js`."],
    ["If you do not change `src/sum.js`, it fails."],
    ["Do not change the signature of `src/sum.js`."],
    ["The docs say “Please do not touch `src/sum.js`”."],
    ["It exits without changing `src/sum.js`."],
    ["`src/sum.js` should not be changed by the command."],
    ["Both commands leave `src/sum.js` unchanged."],
    ["It reads `src/sum.js` instead of `src/total.js`."],
    ["> Please do not touch `src/sum.js`."],
    ["```\nPlease do not touch `src/sum.js`.\n```"],
    ["It prints `do not touch src/sum.js`."],
    ["Wenn wir `src/sum.js` nicht ändern, geht es."],
    ["The tool keeps its hands off `src/sum.js`."],
    ["Let `src/sum.js` be the first file it reads."],
    ["Users are not allowed to modify `src/sum.js`."],
    ["Changes to `src/sum.js` are not saved."],
    ["No changes to `src/sum.js` are found."],
    ["Wenn ich nichts an `src/sum.js` ändere, geht es."],
    ["No se puede modificar `src/sum.js`."],
    ["On ne peut pas modifier `src/sum.js`."],
    ["Не могу изменить `src/sum.js`."],
    ["Он не трогает `src/sum.js`."],
    ["`src/sum.js` は変更されない。"],
    ["不能修改 `src/sum.js`。"],
    ["Can we not change `src/sum.js`?"],
    ["Could you tell me why I do not touch `src/sum.js`?"],
    ["Can you reproduce it if you do not change `src/sum.js`?"],
    ["`src/sum.js` must not change the order."],
    ["The server keeps `src/sum.js` out of this list."],
    ["I'd rather you told me why src/sum.js is read."],
    ["`src/sum.js` bleibt unverändert, obwohl es gespeichert wurde."],
    ["Can we keep src/sum.js?"],
    ["It makes sure that src/sum.js stays untouched."],
  ])("this does not: %s", (text) => {
    expect(placesMeant(text).forbidden).toEqual([]);
  });

  test("it may name a folder, and where the work goes instead", () => {
    const meant = placesMeant("Do not touch `lib/`, put it into `src/average.js`.");
    expect(meant).toMatchObject({ forbidden: ["lib/"], put: ["src/average.js"], paths: ["src/average.js"] });
    expect(isForbidden("lib/sum.js", meant.forbidden)).toBe(true);
    expect(isForbidden("src/lib.js", meant.forbidden)).toBe(false);
  });
});

test.each([
  ["Fix this anywhere but in lib/core/send.js.", "lib/core/send.js"],
  ["Hands off `lib/adapters/**`.", "lib/adapters/xhr.js"],
  ["Hands off `**/*.snap`.", "test/a.snap"],
  ["lib/core/ is off limits.", "lib/core/send.js"],
  ["Surtout ne pas modifier `lib/send.js`.", "lib/send.js"],
  ["Bitte die Finger von `lib/core/` lassen.", "lib/core/send.js"],
  ["Файл lib/send.js не трогать.", "lib/send.js"],
  ["Los archivos `lib/send.js` no se tocan.", "lib/send.js"],
  ["`lib/send.js` には手を付けないこと。", "lib/send.js"],
])("%j forbids %s", (text, path) => {
  const { forbidden } = placesMeant(text);
  expect(isForbidden(path, forbidden)).toBe(true);
  expect(isForbidden("docs/other.md", forbidden)).toBe(false);
});

test.each([
  "It fixes everything but a.ts",
  "The value of `a.ts` is frozen in time.",
  "My editor tells me not to modify node_modules/a/index.js, so I could not try a patch.",
])("%j forbids nothing", (text) => {
  expect(placesMeant(text).forbidden).toEqual([]);
});

describe("an order to change nothing but some files forbids all others (R-CONF-9)", () => {
  test.each([
    "Change only `src/sum.js`.",
    "Please only touch src/sum.js",
    "You may only change `src/sum.js`.",
    "Restrict the change to `src/sum.js`.",
    "Don’t touch anything outside `src/sum.js`.",
    "Change nothing but `src/sum.js`, please.",
    "Touch nothing else than src/sum.js.",
    "Edit src/sum.js and nothing else.",
    "All changes must stay in `src/sum.js`.",
    "Only `src/sum.js` may be changed.",
    "No other files than `src/sum.js`, please.",
    "Fix the sum, but change only `src/sum.js`.",
    "Bitte nur `src/sum.js` ändern.",
    "Ändere nur `src/sum.js`.",
    "Nichts außer `src/sum.js` anfassen!",
    "Cambia solo `src/sum.js`.",
    "No toques nada fuera de `src/sum.js`.",
    "Ne modifiez que `src/sum.js`.",
    "Limitez la correction à `src/sum.js`.",
    "Altere apenas `src/sum.js`.",
    "Не трогайте ничего вне `src/sum.js`.",
    "Ничего, кроме `src/sum.js`, не меняй.",
    "`src/sum.js` だけを変更してください。",
    "`src/sum.js` 以外は変更しないでください。",
    "请只修改 `src/sum.js`。",
    "不要改 `src/sum.js` 以外的文件。",
    "The fix must be confined to `src/sum.js`.",
    "Stay inside `src/sum.js`.",
    "Work only in `src/sum.js`.",
    "Do not leave `src/sum.js`.",
    "Leave everything outside `src/sum.js` alone.",
    "Everything but `src/sum.js` must stay as it is.",
    "The only file you may touch is `src/sum.js`.",
    "Bleib in `src/sum.js`.",
    "Beschränken Sie sich auf `src/sum.js`.",
    "Außerhalb von `src/sum.js` nichts ändern.",
    "Limítate a `src/sum.js`.",
    "No te salgas de `src/sum.js`.",
    "La corrección debe quedar dentro de `src/sum.js`.",
    "Ne sors pas de `src/sum.js`.",
    "Seul `src/sum.js` peut être modifié.",
    "La correction doit rester dans `src/sum.js`.",
    "Fique em `src/sum.js`.",
    "A correção deve se limitar a `src/sum.js`.",
    "Não saia de `src/sum.js`.",
    "Менять можно только `src/sum.js`, остальное не трогай.",
    "Ограничься `src/sum.js`.",
    "Не выходи за пределы `src/sum.js`.",
    "`src/sum.js` の中だけで修正してください。",
    "修正は `src/sum.js` 内に収めてください。",
    "修改限于 `src/sum.js`。",
    "请把改动限制在 `src/sum.js` 之内。",
    "`src/sum.js` 以外的文件不要动。",
    "The patch may touch only `src/sum.js`.",
    "Please only make changes in `src/sum.js`.",
    "Die Änderung soll sich auf `src/sum.js` beschränken.",
    "The fix belongs in `src/sum.js` only.",
    "Could you change only `src/sum.js`?",
    "Könnten Sie bitte nur `src/sum.js` ändern?",
    "Could you fix this in src/sum.js alone?",
    "Die Korrektur gehört nur in src/sum.js.",
    "Die Änderung gehört ausschließlich in src/sum.js.",
    "Le correctif ne concerne que src/sum.js.",
    "El arreglo va solo en src/sum.js.",
    "A correção vai só em src/sum.js.",
    "Исправление только в src/sum.js.",
    "Only `src/sum.js`, nothing else.",
    "`src/sum.js` only, please.",
    "Keep this to `src/sum.js`.",
    "Touch `src/sum.js` only.",
    "The diff should contain `src/sum.js` only.",
    "Please limit yourself to `src/sum.js`.",
    "Nur `src/sum.js`, sonst nichts.",
    "Bitte ausschließlich in `src/sum.js` arbeiten.",
    "Uniquement `src/sum.js`, s'il vous plaît.",
    "Rien d'autre que `src/sum.js`.",
    "Solo `src/sum.js`, por favor.",
    "Toca únicamente `src/sum.js`.",
    "Só `src/sum.js`, por favor.",
    "Apenas `src/sum.js` deve mudar.",
    "Только `src/sum.js`, пожалуйста.",
    "Правь только `src/sum.js`.",
    "只动 `src/sum.js` 就好。",
    "只能改 `src/sum.js`。",
    "`src/sum.js` だけでお願いします。",
    "変更するのは `src/sum.js` だけにしてください。",
  ])("%s", (text) => {
    const { forbidden, paths, spared } = placesMeant(text);
    expect({ paths, spared }).toEqual({ paths: ["src/sum.js"], spared: [] });
    expect(isForbidden("src/other.js", forbidden)).toBe(true);
    expect(isForbidden("src/sum.js", forbidden)).toBe(false);
  });

  test.each([
    "It happens only in `src/sum.js`.",
    "I only changed `src/sum.js`.",
    "If you only change `src/sum.js`, it works.",
    "It fails when I edit only `src/sum.js`.",
    "Should we change only `src/sum.js`?",
    "He said “change only `src/sum.js`”.",
    "Just change `src/sum.js` so that it rounds.",
    "Change only `total`.",
    "When we stay in `src/sum.js`, it works.",
    "Stay in `src/sum.js` longer than a second and it fails.",
    "Don’t leave `src/sum.js` empty.",
    "The bug is confined to `src/sum.js`.",
    "The command must not leave `src/sum.js` behind.",
    "Nothing outside `src/sum.js` is read.",
    "Er bleibt in `src/sum.js` hängen.",
    "Alles außer `src/sum.js` bleibt leer.",
    "El cursor se queda en `src/sum.js`.",
    "Le curseur reste dans `src/sum.js`.",
    "Fica em `src/sum.js` e não sai.",
    "`src/sum.js` だけが表示される。",
    "只有 `src/sum.js` 可以打开。",
    "The fix of last week went only into `src/sum.js`.",
    "It makes the total only in `src/sum.js`.",
    "Die Korrektur von gestern steht nur in `src/sum.js`.",
  ])("this does not: %s", (text) => {
    expect(placesMeant(text).forbidden).toEqual([]);
  });

  test("it may name several files, and folders", () => {
    const { forbidden } = placesMeant("Limit your changes to `src/parse/` and src/sum.js.");
    expect(["src/parse/a.js", "src/sum.js", "test/sum.test.js"].map((path) => isForbidden(path, forbidden))).toEqual([
      false,
      false,
      true,
    ]);
  });
});

test.each([
  ["Please don't touch the README.", "README.md"],
  ["Do not change the Makefile or the Dockerfile.", "docker/Dockerfile"],
  ["Leave the changelog alone.", "CHANGELOG.md"],
  ["Please don’t edit `README`.", "docs/README.rst"],
  ["Finger weg vom Makefile.", "Makefile"],
  ["Die README bitte nicht anfassen.", "README.md"],
  ["Ne touche pas au README, s’il te plaît.", "README.md"],
  ["No toques el README.", "README.md"],
  ["Não mexa no README.", "README.md"],
  ["Не трогай README.", "README.md"],
  ["不要改 README。", "README.md"],
  ["README は変更しないでください。", "README.md"],
])("a file is forbidden by its name without the ending: %s", (order, path) => {
  const { forbidden } = placesMeant(order);
  expect(isForbidden(path, forbidden)).toBe(true);
  expect(isForbidden("src/readme-parser.ts", forbidden)).toBe(false);
});

test.each([
  "Please leave the tests alone, I am rewriting them this week.",
  "Don't touch the tests.",
  "yes, but leave the existing test suite as it is",
  "Bitte die Tests nicht anfassen.",
  "Ne touchez pas aux tests.",
  "No toques las pruebas.",
  "Não mexa nos testes.",
  "Не трогай тесты.",
  "不要修改测试文件。",
  "テストを変更しないでください。",
])("tests are forbidden as a kind of file: %s", (order) => {
  const { forbidden } = placesMeant(order);
  expect(forbidsPlaces(order)).toBe(true);
  for (const path of [
    "test/cart.js",
    "src/cart.test.ts",
    "src/__tests__/cart.js",
    "tests/test_cart.py",
    "pkg/cart_test.go",
  ])
    expect([path, isForbidden(path, forbidden)]).toEqual([path, true]);
  for (const path of ["src/cart.ts", "src/latest.ts", "docs/testing.md"])
    expect([path, isForbidden(path, forbidden)]).toEqual([path, false]);
});

test.each([
  "Keep the tests green.",
  "Run the tests before you push.",
  "The tests fail, do not run them.",
  "Do not skip the tests.",
])("what else is said of tests forbids none: %s", (text) => {
  expect(placesMeant(text).forbidden).toEqual([]);
});

test.each([
  "And please only in src/report, not in the CLI.",
  "only in `src/report`, please",
  "Bitte nur in src/report.",
  "uniquement dans src/report, svp",
  "solo en src/report, por favor",
  "só em src/report, por favor",
  "Пожалуйста, только в src/report.",
])("the place of the work may be named without a verb: %s", (order) => {
  expect(placesMeant(order).forbidden).toEqual(["!(src/report)"]);
});

test.each(["It fails only in src/a.ts.", "Only in src/a.ts is the total wrong, please look."])(
  "the place of a fault confines nothing: %s",
  (text) => {
    expect(placesMeant(text).forbidden).toEqual([]);
  },
);

test("a file named without its ending is no place of the work, and its name stays as written", () => {
  expect(placesMeant("Please update the changelog too.")).toMatchObject({
    paths: [],
    symbols: [],
    forbidden: [],
    text: "Please update the changelog too.",
  });
});

test.each([
  ["Change nothing but the README.", "README"],
  ["Please change nothing except the README.", "README"],
  ["Only the README should change.", "README"],
  ["Just the README, nothing else.", "README"],
  ["Please only touch the tests.", "tests"],
  ["Ändere nichts außer der README.", "README"],
  ["Nur das README, sonst nichts.", "README"],
  ["Ändere nichts außer `src/a.ts`.", "src/a.ts"],
  ["Ne change rien d'autre que le README.", "README"],
  ["Ne touche à rien sauf le README.", "README"],
  ["Seul le README doit être modifié.", "README"],
])("files named without their endings can be the only ones to change: %s", (order, name) => {
  expect(placesMeant(order)).toMatchObject({ forbidden: [`!(${name})`], spared: [] });
});

test.each(["Only the README mentions the flag.", "Only the tests fail.", "Only the Dockerfile should use node 20."])(
  "what is told of such a file confines nothing: %s",
  (text) => {
    expect(placesMeant(text).forbidden).toEqual([]);
  },
);

test.each([
  ["README.md", false],
  ["src/a.ts", true],
  ["test/a.test.ts", true],
])("where only the README is to change, %s is forbidden: %s", (path, expected) => {
  expect(isForbidden(path, ["!(README)"])).toBe(expected);
});

test.each([
  ["Don't touch src/a.ts nor src/b.ts."],
  ["Change neither src/a.ts nor src/b.ts; leave src/a.ts and src/b.ts alone."],
  ["Do not touch src/a.ts, or src/b.ts."],
  ["Weder src/a.ts noch src/b.ts anfassen."],
  ["Ne touche pas à src/a.ts ni à src/b.ts."],
  ["No toques src/a.ts ni src/b.ts."],
  ["Não mexa em src/a.ts nem em src/b.ts."],
  ["Не трогай ни src/a.ts, ни src/b.ts."],
])("an order names several files: %s", (text) => {
  expect(placesMeant(text).forbidden).toEqual(["src/a.ts", "src/b.ts"]);
});

test("what is fine to change is to change, and an order for several files stays in part", () => {
  expect(placesMeant("src/a.ts is fine to change after all.")).toMatchObject({ paths: ["src/a.ts"], forbidden: [] });
  const order = "stay out of src/cli, and don't touch package.json";
  expect(staysInPart(order, "You may touch src/cli after all")).toBe(true);
  expect(staysInPart(order, "You may touch src/cli and package.json after all")).toBe(false);
  expect(staysInPart(order, "Forget that.")).toBe(false);
});

describe("what somebody allows to change is free, in eight languages", () => {
  test.each([
    ["You may change src/time/zone.js."],
    ["Of course you can touch src/time/zone.js for that."],
    ["src/time/zone.js may be changed."],
    ["src/time/zone.js is fine to change."],
    ["Fine, do it in src/time/zone.js."],
    ["Feel free to edit src/time/zone.js."],
    ["src/time/zone.js is an exception."],
    ["Don't touch src/time/ except src/time/zone.js."],
    ["Du darfst src/time/zone.js ändern."],
    ["src/time/zone.js darf geändert werden."],
    ["Gut, mach es in src/time/zone.js."],
    ["Puedes cambiar src/time/zone.js."],
    ["src/time/zone.js sí se puede tocar."],
    ["Hazlo en src/time/zone.js."],
    ["Tu peux modifier src/time/zone.js."],
    ["src/time/zone.js peut être modifié."],
    ["D'accord, fais-le dans src/time/zone.js."],
    ["Pode alterar src/time/zone.js."],
    ["src/time/zone.js pode ser alterado."],
    ["Faça isso em src/time/zone.js."],
    ["Можно менять src/time/zone.js."],
    ["src/time/zone.js можно менять."],
    ["Хорошо, сделай это в src/time/zone.js."],
    ["src/time/zone.js は変更しても構いません。"],
    ["src/time/zone.js で対応してください。"],
    ["src/time/zone.js 可以改。"],
    ["可以修改 src/time/zone.js。"],
    ["那就在 src/time/zone.js 里改吧。"],
  ])("%s", (text) => {
    expect(placesMeant(text).freed).toEqual(["src/time/zone.js"]);
  });

  test.each([
    ["You may not change src/time/zone.js."],
    ["Don't do it in src/time/zone.js."],
    ["May I change src/time/zone.js?"],
    ["src/time/zone.js may be wrong."],
    ["src/time/zone.js is fine."],
    ["src/time/zone.js darf nicht geändert werden."],
    ["Mach es nicht in src/time/zone.js."],
    ["No puedes cambiar src/time/zone.js."],
    ["src/time/zone.js no se puede tocar."],
    ["Vous ne pouvez pas modifier src/time/zone.js."],
    ["Não pode alterar src/time/zone.js."],
    ["src/time/zone.js нельзя менять."],
    ["src/time/zone.js は変更しないでください。"],
    ["src/time/zone.js 不可以改。"],
    ["不可以修改 src/time/zone.js。"],
    ["别在 src/time/zone.js 里改。"],
    ["Fix anything but src/time/zone.js."],
  ])("not: %s", (text) => {
    expect(placesMeant(text).freed).toEqual([]);
  });
});

test("a forbidden folder without the file that is free again forbids the rest", () => {
  const name = withoutFreed("src/time/", ["src/time/zone.js"]) ?? "";
  expect(name).toBe("src/time/!(zone.js)");
  expect(isForbidden("src/time/calendar.js", [name])).toBe(true);
  expect(isForbidden("src/time/zone.js", [name])).toBe(false);
  expect(isForbidden("src/store/zone.js", [name])).toBe(false);
  expect(placesLeftOut(`Changes to \`${name}\`: Don't touch src/time/, please (message 1)`)).toEqual([name]);
  expect(withoutFreed("src", ["csv.js"])).toBe("src/!(csv.js)");
  expect(isForbidden("src/export/csv.js", ["src/!(csv.js)"])).toBe(false);
  expect(isForbidden("src/export/json.js", ["src/!(csv.js)"])).toBe(true);
  expect(withoutFreed("src/time/zone.js", ["zone.js"])).toBeNull();
  expect(withoutFreed("src/time/zone.js", ["src/time/other.js"])).toBe("src/time/zone.js");
  expect(withoutFreed("src/time", ["lib/zone.js"])).toBe("src/time");
  expect(withoutFreed("!(a.ts)", ["b.ts"])).toBe("!(a.ts|b.ts)");
});

describe("an order on the folder of the code needs no slash", () => {
  test.each([
    ["Don't change anything in src for it though."],
    ["Nothing in src may be changed."],
    ["Leave src alone."],
    ["Bitte in src nichts ändern."],
    ["No cambies nada en src."],
    ["Ne touchez à rien dans src."],
    ["Não mexa em nada em src."],
    ["Ничего не меняй в src."],
    ["src フォルダは変更しないでください。"],
    ["不要改 src 里的任何东西。"],
  ])("%s", (text) => {
    expect(placesMeant(text).forbidden).toEqual(["src"]);
  });

  test("where it is no folder it is no place", () => {
    expect(placesMeant("Do not touch the lib of the other team.").forbidden).toEqual([]);
  });
});
