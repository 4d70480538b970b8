/** An assignment at the start of a line to a member of an object: `shop.total = …`. */
const ASSIGNED = /^(?:module\.)?([A-Za-z_$][\w$]*)(?:\.[\w$]+|\["[^"]{0,100}"\])+ *=(?![=>])/;

/** The syntax tree shows where these are replaced, at any place. */
const RUNNERS = /^(?:assert|expect|chai|should|jest|vi|unittest|pytest|process)$/;

/** Lines in a test file that replace what runs tests or asserts, by file extension. */
const TAKES_PLACE: Record<string, RegExp> = {
  py: /^\s+def (?:run|debug|__call__|_callTestMethod|fail|assert(?:Equal|NotEqual|True|False|Is|IsNot|IsNone|IsNotNone|In|NotIn|Raises|RaisesRegex|AlmostEqual|Greater|GreaterEqual|Less|LessEqual|Regex|CountEqual|ListEqual|DictEqual|IsInstance))\(/,
  rb: /^\s+def (?:run|run_one_method|capture_exceptions|flunk|(?:assert|refute)(?:_(?:equal|nil|empty|includes|in_delta|instance_of|kind_of|match|raises|respond_to|same|not_nil|not_equal|predicate|operator))?)\b|\b(?:private|protected|undef_method|remove_method)[ (]+(?:def |:)test_/,
  // Nobody sees the failures that it receives.
  go: /\btesting\.[TB]\{|\bnew\(testing\.[TB]\)/,
  sh: /^\s*(?:trap\b.*\b(?:EXIT|0)\b|exit +0\b|set \+e\b|(?:function +)?(?:sh|bash|test|\[|diff|cmp|grep|cat|assert\w*|check\w*|fail\w*|expect\w*) *\(\))/,
};

/**
 * New lines of a test file that, when the file is loaded, assign to members of other modules, so that tests of other
 * files meet a stand-in; or that replace what runs tests or asserts (R-WORK-12). The first for Python, JavaScript and
 * TypeScript; the second for Python, Ruby, Go and shells.
 */
export function standIns(path: string, { before, after }: { before: string | null; after: string | null }): string[] {
  const [, ending = ""] = /\.(\w+)$/.exec(path) ?? [];
  const takesPlace = TAKES_PLACE[SHELLS.test(ending) ? "sh" : ending];
  const isScript = /^[cm]?[jt]sx?$/.test(ending);
  const text = after ?? "";
  const imported = new Set(ending === "py" ? importedByPython(text) : isScript ? importedByScript(text) : []);
  const had = new Set((before ?? "").split("\n"));
  return text
    .split("\n")
    .filter((line) => {
      const [, root = ""] = ASSIGNED.exec(line) ?? [];
      return !had.has(line) && ((imported.has(root) && !RUNNERS.test(root)) || takesPlace?.test(line) === true);
    })
    .map((line) => line.trim());
}

const SHELLS = /^(?:sh|bash|zsh|bats)$/;
const SHELL_CHECK = /^\s*(?:if +|! *)?(?:check\w*|assert\w*|expect\w*|is|ok|test|\[\[?|diff|cmp|grep|fail\w*)(?= )/;

/**
 * Checks that a shell script for tests had before: those that are gone, and those that now compare with something else.
 */
export function goneChecks(
  path: string,
  { before, after }: { before: string | null; after: string | null },
): { removed: string[]; changed: string[] } {
  if (!SHELLS.test(/\.(\w+)$/.exec(path)?.[1] ?? "")) return { removed: [], changed: [] };
  const now = (after ?? "").split("\n").map((line) => line.trim());
  const has = new Set(now);
  const starts = new Set(now.map(startOf));
  const gone = (before ?? "")
    .split("\n")
    .filter((line) => SHELL_CHECK.test(line) && !has.has(line.trim()))
    .map((line) => line.trim());
  return {
    removed: gone.filter((line) => !starts.has(startOf(line))),
    changed: gone.filter((line) => starts.has(startOf(line))),
  };
}

/** The command and its first argument, which often names the check: `check "empty list"`. */
function startOf(line: string): string {
  return /^\S+ +(?:"[^"]*"|'[^']*'|\S+)/.exec(line)?.[0] ?? line;
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
