/** `total` of `src/total.ts`, `test/total.test.ts`, `TotalTest.java` and `test_total.py`. */
export function stemOfTest(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\..*$/, "");
  return name.replace(/^(?:tests?|specs?)[-_](?=.)|(?<=.)[-_]?(?:tests?|specs?|IT)$/i, "").toLowerCase();
}

/** Test doubles are common, but a double of what the test file is about leaves nothing to test. */
const MOCKS = /^(?:jest|vi|mock|td|sinon|unittest\.mock|mocker|monkeypatch|patch)\b/;

/** Whether a statement replaces something other than the module that the test file is named after. */
export function takesNothing(path: string, text: string): boolean {
  if (!MOCKS.test(text)) return false;
  const stem = stemOfTest(path);
  const words = text.toLowerCase().split(/[^\w-]+/);
  return stem.length < 2 || !words.includes(stem);
}
