import { type CodeFiles, type Commands, recordAt, recordIn } from "./code-files.ts";

/** Includes the target `all`, whose meaning is only clear if make is the build. */
export interface MakeCommands extends Commands {
  all?: string | undefined;
}

/** Commands for the targets of a Makefile or justfile, or the tasks of a Taskfile; empty without such a file. */
export async function makeCommands(code: CodeFiles): Promise<MakeCommands> {
  const makefile = code.first("GNUmakefile", "makefile", "Makefile");
  if (makefile !== null) return ofTargets(targetsIn(await code.read(makefile)), "make");
  const justfile = code.first("justfile", "Justfile", ".justfile");
  if (justfile !== null) {
    const recipes = (await code.read(justfile)).matchAll(/^@?([A-Za-z][\w-]{0,60})(?:[ \t][^:\n]{0,200})?:(?!=)/gm);
    return ofTargets(new Set([...recipes].map(([, name = ""]) => name)), "just");
  }
  const taskfile = code.first("Taskfile.yml", "Taskfile.yaml", "taskfile.yml");
  if (taskfile === null) return {};
  return ofTargets(new Set(Object.keys(recordAt(recordIn(await code.read(taskfile), "yaml"), "tasks"))), "task");
}

function targetsIn(text: string): ReadonlySet<string> {
  const rules = text.matchAll(/^([A-Za-z][\w.-]{0,60}(?:[ \t]+[\w.-]{1,60}){0,20})[ \t]*:(?![=:])/gm);
  return new Set([...rules].flatMap(([, names = ""]) => names.split(/\s+/)));
}

function ofTargets(targets: ReadonlySet<string>, runner: string): MakeCommands {
  const named = (...names: string[]) => {
    const name = names.find((each) => targets.has(each));
    return name === undefined ? undefined : `${runner} ${name}`;
  };
  const own = named("test", "tests", "unittest", "unit-test", "test-unit", "check-test");
  // If no target is named after tests, `check` runs them.
  const tests = own ?? named("check");
  return {
    lint: named("lint", ...(own === undefined ? [] : ["check"]), "style", "style-check"),
    types: named("typecheck", "type-check", "types", "type-checking", "mypy"),
    build: named("build", "compile"),
    all: named("all"),
    ...(tests === undefined ? {} : { tests: [tests] }),
  };
}
