import { chainOf, isCall, plainText } from "../syntax.ts";
import type { TestDialect } from "../test-file.ts";
import { testCall } from "./calls.ts";

const NAMES = {
  tests: /^(?:[xf]?it|[xf]?test|[xf]?specify|fixme)$/,
  groups: /^(?:[xf]?describe|[xf]?context|suite|module)$/,
  skips: /^x/,
  only: /^f(?:it|test|specify|describe|context)$/,
};

/** node:test, Vitest, Jest, Mocha, AVA, Jasmine, Playwright. */
export const ECMASCRIPT: TestDialect = {
  testAt: (node) => testCall(node, NAMES),
  markAt: (node) => {
    if (!isCall(node)) return null;
    const chain = chainOf(node);
    const kind = /^(?:skip|fixme)$/.test(chain?.names.at(-1) ?? "")
      ? "skip"
      : chain?.names.at(-1) === "todo"
        ? "todo"
        : null;
    if (chain === null || kind === null || !/^(?:t|tt|this|ctx|context|test|it|task)$/.test(chain.names[0] ?? ""))
      return null;
    const [first] = chain.args.at(-1) ?? [];
    const conditional = first !== undefined && !/string|template|function|^true$/.test(first.type);
    return { kind, conditional, text: plainText([node]), line: node.line };
  },
  replaces:
    /^(?:(?:assert|expect|chai|should|jest|vi)(?: \. [\w$]+)+ =(?!=)|(?:global|globalThis|window) \. (?:it|test|describe|expect|assert|suite|specify) =(?!=)|process \. (?:exit|reallyExit) =(?!=)|require \( "(?:node:)?(?:assert|chai|test|vitest)[\w/]*" \)(?: \. [\w$]+)+ =(?!=)|(?:jest|vi|mock|td|sinon) \. (?:mock|doMock|module|unstable_mockModule|replace|replaceEsm|stub|fake) \(|expect \. (?:addSnapshotSerializer|addEqualityTesters) \(|(?:[\w$]+ \. )+(?:currentTest|test) \. fn =(?!=)|Object \. (?:assign|defineProperty|defineProperties) \( (?:assert|expect|chai)\b)/,
  exits:
    /^process (?:\. reallyExit|\. exit) \( ?0? ?\)|^process \. exit \( ?process|^process \. (?:abort|kill)|^Deno \. exit \( ?0? ?\)|^process \. exitCode = 0|^process \. (?:on|once) \( "(?:exit|beforeExit)" .*exitCode = /s,
  catches: null,
  imported,
  asserts: /^(?!)/,
};

const LIBRARY = String.raw`["'](?:node:)?(?:assert(?:\/strict)?|chai|power-assert|uvu\/assert|expect|should|unexpected|@hapi\/code|assert-plus)["']`;
const IMPORT = new RegExp(
  String.raw`import\s+(?:(?:\*\s+as\s+)?([\w$]+)\s*,?\s*)?(?:\{([^}]{0,500})\}\s*)?from\s+${LIBRARY}|(?:const|let|var)\s+(?:([\w$]+)|\{([^}]{0,500})\})\s*=\s*(?:require\(\s*${LIBRARY}\s*\)|await import\(\s*${LIBRARY}\s*\))`,
  "g",
);

/** Local names of a file's imports from assertion libraries. */
function imported(text: string): string[] {
  return [...text.matchAll(IMPORT)].flatMap(([, one, some, other, others]) => [
    ...[one, other].filter((name) => name !== undefined),
    ...`${some ?? ""},${others ?? ""}`.split(",").flatMap((part) => /([\w$]+)\s*$/.exec(part)?.[1] ?? []),
  ]);
}
