import { expect, test } from "vitest";
import { message, specInput } from "../../test/support/spec-input.ts";
import { parseSpec } from "../domain/spec-document/parse.ts";
import { wantedDocuments } from "./documents.ts";
import { statementsOf } from "./input.ts";
import { offlineSpecGenerator } from "./rules/writer.ts";

const TREE = ["README.md", "docs/README.md", "docs/usage.md", "CHANGELOG.md", "src/a.ts"];
const code = {
  files: async () =>
    await Promise.resolve(
      TREE.map((path) => ({ path, kind: "file" as const, executable: false, objectName: path, size: 1 })),
    ),
};

async function wanted(body: string, ...thread: readonly (readonly [string, string])[]) {
  const messages = thread.map(([author, content], at) => message({ seq: at + 1, author, content }));
  return await wantedDocuments({ body }, messages, ({ author }) => author === "max", code);
}

test.each([
  ["Mention it in the CHANGELOG as breaking.", ["CHANGELOG.md"]],
  ["Bitte `SECURITY.md` mit der Adresse, und ein Link im README.", ["SECURITY.md (new)", "README.md"]],
  ["Please describe it in docs/usage.md.", ["docs/usage.md"]],
  ["Добавьте строку в README.", ["README.md"]],
  ["Please don't touch the CHANGELOG.", []],
  ["It is documented in the README.", []],
  ["Did you read the README?", []],
  ["Please return JSON, and HTTP 404.", []],
  ["Please keep `book.md`.", []],
])("the documents that somebody who decides wants: %j", async (content, paths) => {
  const found = await wanted("", ["max", content]);
  expect(found.map(({ path, isNew }) => (isNew ? `${path} (new)` : path))).toEqual(paths);
});

test("a document for which somebody asked is wanted where the answer names it, in any language", async () => {
  const yes = "Sì, volentieri: una riga nel README.";
  expect(await wanted("", ["ann", "Magari una riga nel README?"], ["max", yes])).toMatchObject([{ path: "README.md" }]);
  expect(await wanted("", ["ann", "Che cosa significa?"], ["max", yes])).toEqual([]);
  expect(await wanted("", ["ann", "Please put it into the README."])).toEqual([]);
});

test.each([
  ["en", "Yes, one line in the README. No code change."],
  ["de", "Ja, eine Zeile im README, keine Codeänderung."],
  ["fr", "Oui, une ligne dans le README, sans changement de code."],
  ["es", "Sí, una línea en el README, sin cambios en el código."],
  ["pt", "Sim, uma linha no README, sem mudanças no código."],
  ["ru", "Да, строку в README. Код не меняем."],
  ["zh", "好的，在 README 里加一行，不改代码。"],
  ["ja", "はい、README に一行。コードは変更しません。"],
])("where the code is to stay, the work is on documents alone (%s)", async (language, content) => {
  const messages = [message({ seq: 1, author: "max", content })];
  const documents = [{ path: "README.md", isNew: false }];
  const source = { location: "src/list.ts:3", snippet: "export function list() {", kind: "list", found_by: "named" };
  const given = specInput({
    title: "A note about the order of `list`",
    body: "The order of `list` in `src/list.ts` should be told.",
    labels: ["enhancement"],
    language,
    messages,
    documents,
    findings: [
      {
        id: "201",
        issueId: "1",
        number: 1,
        commit: null,
        createdAt: new Date(0),
        synthesis: "`src/list.ts` lists.",
        sources: [{ ...source, found_by: "named" as const }],
      },
    ],
  });
  const statements = statementsOf(given.issue, messages, new Set(["max"]));
  const { markdown } = await offlineSpecGenerator().generate({ ...given, statements }, null);
  const { tasks } = parseSpec(markdown);
  expect(tasks.flatMap(({ touchPoints }) => touchPoints.map(({ path }) => path))).toEqual(["README.md"]);
});
