import { type CodeFiles, recordAt, recordIn, stringAt, valueAt } from "./code-files.ts";

const MOST_FILES = 20;
const LONGEST = 300;

/** A one-line command that works the same outside CI: no expressions, variables, secrets or shell operators. */
const PLAIN = /^[\w./][\w@%+=:,./\s"'*-]*$/;
const ELSEWHERE = /^(?:sudo|apt|apt-get|brew|choco|docker|podman|curl|wget|gh|git|echo|cd|export|exit|npm publish)\b/;
const TESTS = /\b(?:tests?|ctest|specs?|check)\b/i;
const RUNS_OTHERS = /^(?:tox|nox|pre-commit|act)\b/;

/**
 * What the jobs of GitHub Actions and GitLab CI run before their tests, and as tests; for repositories in which nothing
 * else shows this. Only jobs with nothing but plain commands count, since the tests may need what the other commands
 * did.
 */
export async function ciCommands(code: CodeFiles): Promise<{ setup: string[]; tests: string[] }> {
  for (const job of [...(await workflowJobs(code)), ...(await pipelineJobs(code))]) {
    const lines = job.flatMap(linesOf);
    const first = lines.findIndex((line) => TESTS.test(line));
    const isPlain = lines.every((line) => line.length <= LONGEST && PLAIN.test(line) && !ELSEWHERE.test(line));
    if (first === -1 || !isPlain || lines.some((line) => RUNS_OTHERS.test(line))) continue;
    return { setup: lines.slice(0, first), tests: lines.slice(first).filter((line) => TESTS.test(line)) };
  }
  return { setup: [], tests: [] };
}

function linesOf(script: string): string[] {
  return script
    .replaceAll(/\\\n\s*/g, " ")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#") && !/^set -\w+$/.test(line));
}

/** The scripts of each job; empty for jobs whose steps run in another folder, or only sometimes. */
async function workflowJobs(code: CodeFiles): Promise<string[][]> {
  const files = [...code.paths].filter((path) => /^\.github\/workflows\/[^/]+\.ya?ml$/.test(path)).toSorted();
  const texts = await Promise.all(files.slice(0, MOST_FILES).map(code.read));
  return texts.flatMap((text) =>
    Object.values(recordAt(recordIn(text, "yaml"), "jobs")).map((job) => {
      const steps: unknown = valueAt(job, "steps");
      const runs = (Array.isArray(steps) ? steps : []).filter((step: unknown) => stringAt(step, "run") !== undefined);
      const isPlaced = valueAt(job, "defaults", "run", "working-directory") !== undefined;
      return isPlaced || runs.some(isOdd) ? [] : runs.map((step: unknown) => stringAt(step, "run") ?? "");
    }),
  );
}

function isOdd(step: unknown): boolean {
  return valueAt(step, "working-directory") !== undefined || valueAt(step, "if") !== undefined;
}

async function pipelineJobs(code: CodeFiles): Promise<string[][]> {
  const all = recordIn(await code.read(".gitlab-ci.yml"), "yaml");
  const shared = [...linesAt(all, "before_script"), ...linesAt(all["default"], "before_script")];
  return Object.entries(all).flatMap(([name, job]) => {
    const isTest = TESTS.test(name.replaceAll("_", " ")) || TESTS.test(stringAt(job, "stage") ?? "");
    if (!isTest || name.startsWith(".")) return [];
    const before = linesAt(job, "before_script");
    return [[...(before.length > 0 ? before : shared), ...linesAt(job, "script")]];
  });
}

function linesAt(job: unknown, key: string): string[] {
  return [valueAt(job, key)].flat(2).filter((line) => typeof line === "string");
}
