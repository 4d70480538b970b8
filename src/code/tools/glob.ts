import { nameTest } from "./name-pattern.ts";

/** Whether a path fits a glob; made once, asked often. */
export type PathTest = (path: string) => boolean;

export type CompiledGlob = { kind: "glob"; test: PathTest } | { kind: "refused"; reason: string };

const LONGEST = 200;
const ALTERNATIVES = 64;

/**
 * A glob over paths of the tree: `*` and `?` within a name, `**` for any folders, `[a-z]`, `{a,b}`. Names that begin
 * with a dot are names like others. Without `/` it means the file's name in any folder; a trailing `/` means all
 * below. Own code, because `path.matchesGlob` and picomatch backtrack: a glob of ten stars, which a model may
 * write, takes them half a minute on one path; this one takes steps in proportion to glob times path.
 */
export function compileGlob(glob: string, options: { ignoreCase?: boolean } = {}): CompiledGlob {
  const cleaned = glob.replace(/^(?:\.\/)+/, "");
  if (cleaned === "" || cleaned.length > LONGEST) return refused(`a glob has from 1 to ${LONGEST} characters`);
  if (/[\0\r\n]/.test(cleaned)) return refused("a glob is one line, without NUL");
  if (/^(?:[/\\]|[A-Za-z]:[/\\])/.test(cleaned) || cleaned.split("/").includes("..")) {
    return refused("paths and globs are relative to the top of the repository, without ..");
  }
  const folded = options.ignoreCase === true ? cleaned.toLowerCase() : cleaned;
  const alternatives = expandBraces(folded);
  if (alternatives === null) return refused(`a glob may have at most ${ALTERNATIVES} alternatives in braces`);
  const tests = alternatives.map(compileAlternative);
  return {
    kind: "glob",
    test: (path) => {
      const parts = (options.ignoreCase === true ? path.toLowerCase() : path).split("/");
      return tests.some((test) => test(parts));
    },
  };
}

/** Whether a text means more than itself as a glob. */
export function isGlob(text: string): boolean {
  return /[*?[\]{}]/.test(text);
}

function expandBraces(glob: string): string[] | null {
  let open = [glob];
  for (;;) {
    const next = open.flatMap((each) => {
      // The innermost braces first: nothing is nested in them.
      const found = /\{([^{}]*)\}/.exec(each);
      if (!found) return [each];
      const before = each.slice(0, found.index);
      const after = each.slice(found.index + found[0].length);
      return (found[1] ?? "").split(",").map((choice) => `${before}${choice}${after}`);
    });
    if (next.length > ALTERNATIVES) return null;
    if (!next.some((each) => /\{[^{}]*\}/.test(each))) return [...new Set(next)];
    open = next;
  }
}

function compileAlternative(glob: string): (parts: readonly string[]) => boolean {
  const whole = glob.endsWith("/") ? `${glob}**` : glob;
  if (!whole.includes("/") && whole !== "**") {
    const test = nameTest(whole);
    return (parts) => test(parts.at(-1) ?? "");
  }
  const names = whole.split("/").map((name) => (name === "**" ? null : nameTest(name)));
  return (parts) => matchesNames(names, parts);
}

/** `null` stands for any number of folders; as the last one it wants at least one name. */
function matchesNames(names: readonly (((name: string) => boolean) | null)[], parts: readonly string[]): boolean {
  let reached = new Set([0]);
  names.forEach((name, index) => {
    const next = new Set<number>();
    for (const at of reached) {
      if (name === null) {
        const from = index === names.length - 1 ? at + 1 : at;
        for (let skip = from; skip <= parts.length; skip += 1) next.add(skip);
      } else {
        const part = parts[at];
        if (part !== undefined && name(part)) next.add(at + 1);
      }
    }
    reached = next;
  });
  return reached.has(parts.length);
}

function refused(reason: string): { kind: "refused"; reason: string } {
  return { kind: "refused", reason };
}
