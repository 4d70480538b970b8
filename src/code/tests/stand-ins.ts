/** An assignment, at the beginning of a line, to something of a name: `shop.total = …`. */
const ASSIGNED = /^(?:module\.)?([A-Za-z_$][\w$]*)(?:\.[\w$]+|\["[^"]{0,100}"\])+ *=(?![=>])/;

/** What replaces these is found by syntax trees, wherever it stands. */
const RUNNERS = /^(?:assert|expect|chai|should|jest|vi|unittest|pytest|process)$/;

/** Methods of a runner's own classes: what runs a test, and what asserts. */
const OWN_METHODS = {
  py: /^\s+def (?:run|debug|__call__|_callTestMethod|fail|assert(?:Equal|NotEqual|True|False|Is|IsNot|IsNone|IsNotNone|In|NotIn|Raises|RaisesRegex|AlmostEqual|Greater|GreaterEqual|Less|LessEqual|Regex|CountEqual|ListEqual|DictEqual|IsInstance))\(/,
  rb: /^\s+def (?:run|run_one_method|capture_exceptions|flunk|(?:assert|refute)(?:_(?:equal|nil|empty|includes|in_delta|instance_of|kind_of|match|raises|respond_to|same|not_nil|not_equal|predicate|operator))?)\b/,
};

/**
 * New lines of a file of tests that give something of another module another value when the file is loaded, so that tests of other
 * files meet a stand-in, or that take the place of what runs and asserts (R-WORK-12). Python, JavaScript, TypeScript; of
 * Ruby, the latter.
 */
export function standIns(path: string, { before, after }: { before: string | null; after: string | null }): string[] {
  const [, ending = ""] = /\.(py|rb|[cm]?[jt]sx?)$/.exec(path) ?? [];
  const text = after ?? "";
  const imported = new Set(ending === "py" ? importedByPython(text) : ending === "rb" ? [] : importedByScript(text));
  const methods = ending === "py" || ending === "rb" ? OWN_METHODS[ending] : null;
  const had = new Set((before ?? "").split("\n"));
  if (ending === "") return [];
  return text
    .split("\n")
    .filter((line) => {
      const [, root = ""] = ASSIGNED.exec(line) ?? [];
      return !had.has(line) && ((imported.has(root) && !RUNNERS.test(root)) || methods?.test(line) === true);
    })
    .map((line) => line.trim());
}

function importedByPython(text: string): string[] {
  const lines = text.matchAll(/^(?:from [\w.]+ )?import +\(?([^\n#()]{1,500})/gm);
  return [...lines].flatMap(([, names = ""]) =>
    names.split(",").map((name) => (/\bas +(\w+)/.exec(name)?.[1] ?? name.trim()).split(".")[0] ?? ""),
  );
}

function importedByScript(text: string): string[] {
  const bound = text.matchAll(
    /^(?:import +([^;\n]{1,500}?) +from\b|(?:const|let|var) +([^=\n]{1,500}?) *= *(?:await )?(?:require|import)\()/gm,
  );
  return [...bound].flatMap(([, one, other]) =>
    (one ?? other ?? "")
      .replaceAll(/[{}*]/g, ",")
      .split(",")
      .flatMap((name) => /([A-Za-z_$][\w$]*)\s*$/.exec(name)?.[1] ?? []),
  );
}
