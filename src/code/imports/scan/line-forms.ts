import { braced } from "./braced.ts";

/**
 * How a language that needs no more than its lines writes an import. Groups of the pattern: `comment` is the beginning
 * of a block comment, `name` what is imported, `beside` a path that is meant to lie beside the importing file.
 */
export interface LineForm {
  pattern: RegExp;
  /** What closes a block comment. */
  commentEnd?: string;
  /** The specifiers that `name` stands for; itself alone where this is absent. */
  names?: (written: string) => string[];
}

const DOTTED: LineForm = {
  pattern: /^[ \t]*(?:(?<comment>\/\*)|import[ \t]+(?:static[ \t]+)?(?<name>[^\n;/"'(]{1,2000}))/gm,
  names: (written) => braced(written, ".").map((name) => name.replace(/\._$/, ".*")),
};

const INCLUDE: LineForm = {
  pattern:
    /^[ \t]*(?:(?<comment>\/\*)|#[ \t]*(?:include|import|include_next)[ \t]*(?<name>"[^"\n]{1,300}"|<[^>\n]{1,298}>))/gm,
  names: (written) => [written.startsWith('"') ? written.slice(1, -1) : written],
};

/** The languages whose imports are lines of one form. */
export const LINE_FORMS: ReadonlyMap<string, LineForm> = new Map<string, LineForm>([
  ["java", DOTTED],
  ["kotlin", DOTTED],
  ["scala", DOTTED],
  ["groovy", DOTTED],
  ["c", INCLUDE],
  ["cpp", INCLUDE],
  ["objective-c", INCLUDE],
  [
    "csharp",
    {
      pattern:
        /^[ \t]*(?:(?<comment>\/\*)|(?:global[ \t]+)?using[ \t]+(?:static[ \t]+)?(?:\w+[ \t]*=[ \t]*)?(?<name>[\w.]{1,300})[ \t]*;)/gm,
    },
  ],
  [
    "ruby",
    {
      pattern:
        /^(?<comment>=begin\b)|^[ \t]*(?:(?:require|load|autoload)\b[ \t(]{1,9}(?::\w{1,100},[ \t]{0,9})?["'](?<name>[^"'\n#]{1,300})|require_relative\b[ \t(]{1,9}["'](?<beside>[^"'\n#]{1,300}))["']/gm,
      commentEnd: "\n=end",
    },
  ],
  [
    "php",
    {
      pattern:
        /^[ \t]*(?:(?<comment>\/\*)|use[ \t]+(?:(?:function|const)[ \t]+)?(?<name>\\?[A-Za-z_][^;({\n]{0,300}(?:\{[^};(]{0,2000}\}[ \t]{0,9})?);)|(?<![\w$>])(?:require|include)(?:_once)?[ \t]{0,9}\(?[ \t]{0,9}(?:(?:__DIR__|dirname\(__FILE__\))[ \t]{0,9}\.[ \t]{0,9})?["'](?<beside>[^"'\n$]{1,300})["']/gm,
      names: (written) => braced(written, "\\").map((name) => name.replace(/^\\/, "")),
    },
  ],
  [
    "swift",
    {
      pattern:
        /^[ \t]*(?:(?<comment>\/\*)|(?:(?:@testable|@_exported|public|internal|private)[ \t]+)?import[ \t]+(?:(?:struct|class|func|enum|protocol|typealias|let|var)[ \t]+)?(?<name>[\w.]{1,300}))/gm,
    },
  ],
  [
    "shell",
    {
      pattern: /(?:^|[;&|]|\bthen\b)[ \t]*(?:source|\.)[ \t]+(?<name>[^\n;&|#]{1,300})/gm,
      names: (written) => [sourced(written)],
    },
  ],
  [
    "elixir",
    {
      pattern: /^[ \t]*(?:alias|import|use|require)[ \t]+(?<name>[A-Z][\w.]{0,200}(?:\{[^}]{0,2000}\})?)/gm,
      names: (written) => braced(written, "."),
    },
  ],
  [
    "dart",
    {
      pattern:
        /^[ \t]*(?:(?<comment>\/\*)|(?:import|export|part)[ \t]+(?:of[ \t]+)?["'](?<name>[^"'\n$]{1,300})["'])/gm,
    },
  ],
  [
    "lua",
    {
      pattern:
        /^[ \t]*(?<comment>--\[\[)|(?<![\w.])(?:require|dofile)[ \t]{0,9}\(?[ \t]{0,9}["'](?<name>[^"'\n]{1,300})["']/gm,
      commentEnd: "]]",
    },
  ],
  [
    "protobuf",
    { pattern: /^[ \t]*(?:(?<comment>\/\*)|import[ \t]+(?:(?:public|weak)[ \t]+)?"(?<name>[^"\n]{1,300})")/gm },
  ],
]);

/** The path that a shell sources; behind a variable only what follows its folder. */
function sourced(written: string): string {
  const variable = written.lastIndexOf("$");
  const slash = variable === -1 ? -1 : written.indexOf("/", variable);
  if (variable !== -1 && slash === -1) return "";
  const path = written
    .slice(slash + 1)
    .replace(/["']/g, "")
    .trim();
  return path.split(/\s/, 1)[0] ?? "";
}
