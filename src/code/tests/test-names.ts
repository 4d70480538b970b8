/** `total` of `src/total.ts`, `test/total.test.ts`, `TotalTest.java` and `test_total.py`. */
export function stemOfTest(path: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1).replace(/\..*$/, "");
  return name.replace(/^(?:tests?|specs?)[-_](?=.)|(?<=.)[-_]?(?:tests?|specs?|IT)$/i, "").toLowerCase();
}

/** Doubles are usual; those of what the tests of a file are about leave nothing to test. */
const MOCKS = /^(?:jest|vi|mock|td|sinon|unittest\.mock|mocker|monkeypatch|patch)\b/;

/** Whether a statement makes a double of something else than the module that a file of tests is called after. */
export function takesNothing(path: string, text: string): boolean {
  if (!MOCKS.test(text)) return false;
  const stem = stemOfTest(path);
  const words = text.toLowerCase().split(/[^\w-]+/);
  return stem.length < 2 || !words.includes(stem);
}
