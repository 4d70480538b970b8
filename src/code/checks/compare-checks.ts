import { definitionsIn, type Definitions } from "./definitions.ts";
import { indentOf } from "../outline/line-definitions.ts";
import { cannotFail, startedBy } from "./shell.ts";

/** Reads a file of a commit as text; null if it does not exist. */
export type ReadAt = (path: string, at: "base" | "head") => Promise<string | null>;

/**
 * How a change affects a check: it cannot fail any more, covers less or does something else, or another program runs.
 */
export interface CheckChange {
  kind: "does nothing" | "weaker" | "changed" | "program";
  path: string;
  /** The script, target, section or key; empty for the file as a whole. */
  name: string;
  before: string | null;
  after: string | null;
}

/** Files whose definitions commands use without naming them. */
const ROOTS = ["package.json", "composer.json", "deno.json", "Makefile", "makefile", "GNUmakefile"];
/** How many levels of scripts and targets are followed from a command. */
const DEEPEST = 8;
/** Folders with programs that scripts find before the machine's own. */
const PROGRAMS = /(?:^|\/)(?:node_modules\/|vendor\/bin\/|\.?venv\/|\.bin\/|__pypackages__\/)/;
const SCRIPT_OF_CHECKS =
  /^(?:pre|post)?(?:test|tests|lint|check|checks|typecheck|type-check|types|verify|validate|ci|spec|unit|e2e|coverage)(?:[:_-].*)?$/;

/**
 * How a change affects the definitions of checks and tests: the scripts and targets that the commands lead to, and the
 * settings of their tools (R-WORK-12). `changed`: paths of the change.
 */
export async function checkChanges(
  commands: readonly string[],
  changed: readonly string[],
  read: ReadAt,
): Promise<CheckChange[]> {
  const reached = new Set([...(await reachedBy(commands, read, "base")), ...(await reachedBy(commands, read, "head"))]);
  const found: CheckChange[] = [];
  for (const path of changed) {
    const [before, after] = [await read(path, "base"), await read(path, "head")];
    if (PROGRAMS.test(path)) {
      if (after !== null) found.push({ kind: "program", path, name: "", before: null, after: null });
      continue;
    }
    const one = definitionsIn(path, before ?? "");
    const other = definitionsIn(path, after ?? "");
    if (one === null || other === null) {
      if (reached.has(`file ${path}`))
        found.push(...compared(path, new Map([["", before ?? ""]]), new Map([["", after ?? ""]]), true));
      continue;
    }
    const isReached = (name: string) => isOfCheck(path, name, reached);
    found.push(
      ...compared(
        path,
        only(one.parts, isReached),
        only(other.parts, isReached),
        one.everyChange || reached.has(`file ${path}`),
      ),
    );
  }
  return found;
}

function only(parts: Definitions, isIn: (name: string) => boolean): Definitions {
  return new Map([...parts].filter(([name]) => isIn(name)));
}

function isOfCheck(path: string, name: string, reached: ReadonlySet<string>): boolean {
  const [, script] = /^(?:scripts|tasks)\.(.+)$/.exec(name) ?? [];
  if (script !== undefined) {
    const isRoot = !path.includes("/");
    return reached.has(`script ${script}`) || (!isRoot && SCRIPT_OF_CHECKS.test(script));
  }
  return /^(?:target |\$\()/.test(name) ? reached.has(name) : true;
}

/** The scripts, targets and files that commands lead to. */
async function reachedBy(commands: readonly string[], read: ReadAt, at: "base" | "head"): Promise<Set<string>> {
  const texts: Definitions = new Map();
  for (const path of ROOTS) {
    const text = await read(path, at);
    for (const [name, value] of text === null ? [] : (definitionsIn(path, text)?.parts ?? []))
      if (!texts.has(name)) texts.set(name, value);
  }
  const reached = new Set<string>();
  let next = [...commands];
  for (let depth = 0; depth < DEEPEST && next.length > 0; depth += 1) {
    const after: string[] = [];
    const reach = (key: string, text: string | undefined) => {
      if (reached.has(key)) return;
      reached.add(key);
      if (text !== undefined) after.push(text);
    };
    for (const command of next) {
      const { scripts, targets, files } = startedBy(command);
      for (const pattern of scripts) {
        for (const name of namesLike(pattern, texts)) {
          for (const script of [`pre${name}`, name, `post${name}`])
            reach(`script ${script}`, texts.get(`scripts.${script}`) ?? texts.get(`tasks.${script}`));
        }
      }
      const first = [...texts.keys()].find((key) => /^target [^.%]/.test(key))?.slice("target ".length) ?? "";
      for (const target of targets) {
        const name = target === "" ? first : target;
        const text = texts.get(`target ${name}`);
        reach(`target ${name}`, text);
        for (const prerequisite of (text?.split("\n")[0] ?? "").split(/\s+/))
          if (texts.has(`target ${prerequisite}`)) after.push(`make ${prerequisite}`);
      }
      for (const [, variable = ""] of command.matchAll(/\$[({]([\w.]+)[)}]/g))
        reach(`$(${variable})`, texts.get(`$(${variable})`));
      for (const file of files) {
        if (reached.has(`file ${file}`)) continue;
        const text = /\.(?:sh|bash)$|\/[\w@-]+$/.test(file) ? await read(file, at) : null;
        reach(`file ${file}`, text?.slice(0, 20_000));
      }
    }
    next = after;
  }
  return reached;
}

/** Expands `lint:*`, for runners that start several scripts. */
function namesLike(pattern: string, texts: Definitions): string[] {
  if (!pattern.includes("*")) return [pattern];
  const start = pattern.slice(0, pattern.indexOf("*"));
  return [...texts.keys()].flatMap((key) => (key.startsWith(`scripts.${start}`) ? [key.slice("scripts.".length)] : []));
}

function compared(path: string, before: Definitions, after: Definitions, everyChange: boolean): CheckChange[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name): CheckChange[] => {
    const [one, other] = [before.get(name) ?? null, after.get(name) ?? null];
    if (plain(one) === plain(other)) return [];
    const isCommand = /^(?:scripts\.|tasks\.|target )|commands?$/.test(name) || /\.(?:sh|bash)$/.test(path);
    const told = { path, name, ...difference(one ?? "", other ?? "") };
    const recipe = (text: string) =>
      name.startsWith("target ") ? text.split("\n").slice(1).join("\n") : text.replace(/^commands? = /, "");
    if (isCommand && other !== null) {
      const hides = /\.(?:sh|bash)$/.test(path)
        ? endsWell(other) && !endsWell(one ?? "")
        : cannotFail(recipe(other)) && (one === null || !cannotFail(recipe(one)));
      const isEmptyRule = name.startsWith("target ") && recipe(other).trim() === "" && other.trim() !== "";
      if (hides && !isEmptyRule && !(one === null && /\.(?:pre|post)/.test(name)))
        return [{ kind: "does nothing", ...told }];
    }
    if (other === null && before.size > 0 && isCommand) return [{ kind: "does nothing", ...told }];
    if (isWeaker({ path, name, isCommand }, one ?? "", other ?? "")) return [{ kind: "weaker", ...told }];
    return everyChange && one !== null ? [{ kind: "changed", ...told }] : [];
  });
}

/** The lines without comments and surrounding white space. */
function plain(text: string | null): string | null {
  return text === null ? null : linesOf(text).join("\n");
}

function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) =>
      line
        .replace(/(?:^|\s)(?:\/\/|#(?!\[|!)).*$/, "")
        .trim()
        .replace(/,$/, ""),
    )
    .filter((line) => line !== "");
}

/** Whether a script ends successfully, whatever came before. */
function endsWell(script: string): boolean {
  const lines = linesOf(script).filter((line) => !/^(?:fi|done|esac|\})$/.test(line));
  return (
    lines.length === 0 ||
    (/^(?:exit 0|exit|true|:|echo\b.*)$/.test(lines.at(-1) ?? "") && !lines.some((line) => /^set -\w*e/.test(line))) ||
    lines[0] === "exit 0" ||
    /^exit 0$/.test(lines[1] ?? "")
  );
}

function shown(lines: readonly string[]): string | null {
  return lines.length === 0 ? null : lines.slice(0, 5).join("\n").slice(0, 500);
}

/** The lines that differ, up to five on each side. */
function difference(before: string, after: string): { before: string | null; after: string | null } {
  const [gone, got] = [missingIn(before, after), missingIn(after, before)];
  return { before: shown(gone.map(({ line }) => line)), after: shown(got.map(({ line }) => line)) };
}

/** Lines of a text that the other text does not have, with the key that they belong to. */
function missingIn(text: string, other: string): { line: string; key: string }[] {
  const left = new Map<string, number>();
  for (const line of linesOf(other)) left.set(line, (left.get(line) ?? 0) + 1);
  const raw = text.split("\n");
  return raw.flatMap((written, at) => {
    const [line] = linesOf(written);
    if (line === undefined) return [];
    const has = left.get(line) ?? 0;
    left.set(line, has - 1);
    return has > 0 ? [] : [{ line, key: keyAbove(raw, at) }];
  });
}

/** The key of a list that spans several lines. */
function keyAbove(lines: readonly string[], at: number): string {
  for (let above = at - 1; above >= 0 && above > at - 60; above -= 1) {
    const line = lines[above] ?? "";
    if (line.trim() !== "" && indentOf(line) < indentOf(lines[at] ?? ""))
      return /([\w-]+)["']?\s*[:=(]?\s*[[({]?\s*$/.exec(line)?.[1] ?? line;
  }
  return "";
}

/** Settings that let more pass. */
const LETS_PASS =
  /passWithNoTests|pass-with-no-tests|exit-zero|\|\|\s*(?:true|:|exit 0)|continue-on-error:\s*true|ignoreFailures\s*(?:=|\()\s*true|testFailureIgnore>\s*true|(?:skipTests|skipITs|maven\.test\.skip|skip)>\s*true|-DskipTests|enabled\s*(?:=|\()\s*false|\b(?:test|harness|autotests|doctest)\s*=\s*false|script-shell|ignore-scripts\s*=\s*true|dangerouslyIgnoreUnhandledErrors|--deselect|--ignore(?!-)|-k\s*["']?not\b|-m\s*["']?not\b|["']off["']|:\s*0,?$|:\s*off\b|\bEnabled:\s*false|stopOnFailure="false"|failOnEmptyTestSuite="false"|-D warnings|#!\[allow|=\s*["']allow["']|"strict"\s*:\s*false|IsTestProject>\s*false|collect_ignore|exclude\s*\(?["']|<exclude>|\b(?:retry|retries|reruns|retryTimes|rerunFailing\w*|flakes)["']?\s*[:=(]\s*["']?[1-9]|--(?:retries|retry|reruns|flake-\w+)[= ]?[1-9]|pytest_(?:collection_modifyitems|ignore_collect|runtest_makereport|sessionfinish)|forbidOnly\s*:\s*false/;
const LEAVES_OUT =
  /^(?:exclude\w*|ignore\w*|ignores|extend-(?:exclude|ignore)|skip\w*|disable\w*|\w*IgnorePatterns|norecursedirs|omit|per-file-ignores|coveragePathIgnorePatterns|modulePathIgnorePatterns|testPathIgnorePatterns|disabled?|excludes|filterwarnings|allow)$/i;
const TAKES_IN =
  /^(?:include\w*|testMatch|testRegex|testpaths|spec|specs|roots|projects|select|extend-select|enable|python_files|python_functions|python_classes|testDir|testFiles|files|patterns)$/;
const THRESHOLD =
  /\b(branches|functions|lines|statements|fail_under|minimum\w*|threshold\w*|min\w*[Cc]overage|cov-fail-under)\b["']?\s*[:=]?\s*["']?([\d.]+)/;
const KEY = /^["']?([\w-]+)["']?\s*[:=]/;

function isWeaker(
  { path, name, isCommand }: { path: string; name: string; isCommand: boolean },
  before: string,
  after: string,
): boolean {
  const own = /([\w-]+)$/.exec(name)?.[1] ?? "";
  const gone = missingIn(before, after);
  const got = missingIn(after, before);
  if (/\.\w+ignore$/.test(path) && got.some(({ line }) => !line.startsWith("!"))) return true;
  const isIn = (keys: RegExp, { line, key }: { line: string; key: string }) =>
    keys.test(KEY.exec(line)?.[1] ?? "") || keys.test(key) || keys.test(own);
  if (
    got.some(
      ({ line }) =>
        LETS_PASS.test(line) &&
        !gone.some((one) => LETS_PASS.test(one.line) && LETS_PASS.exec(one.line)?.[0] === LETS_PASS.exec(line)?.[0]),
    )
  )
    return true;
  if (got.some((one) => isIn(LEAVES_OUT, one) && !isShorter(one.line, gone))) return true;
  const moved = new Set(got.filter((one) => isIn(TAKES_IN, one)).map(({ line }) => lastPart(line)));
  if (gone.some((one) => isIn(TAKES_IN, one) && !moved.has(lastPart(one.line))) && !isCommand) return true;
  return gone.some(({ line }) => {
    const [, key, number] = THRESHOLD.exec(line) ?? [];
    if (key === undefined) return false;
    const now = got.map((one) => THRESHOLD.exec(one.line)).find((one) => one?.[1] === key)?.[2];
    return now === undefined || Number(now) < Number(number);
  });
}

/** `cart.ts` for `"src/cart.ts"`, so that moving a file is no change; patterns stay whole. */
function lastPart(line: string): string {
  return /[*?{]|\.{3}/.test(line) ? line : (/([^/"']+)["']?$/.exec(line)?.[1] ?? line);
}

/** Whether a line replaces one with the same key and is shorter. */
function isShorter(line: string, gone: readonly { line: string }[]): boolean {
  const key = KEY.exec(line)?.[1];
  return gone.some((one) => key !== undefined && KEY.exec(one.line)?.[1] === key && line.length < one.line.length);
}
