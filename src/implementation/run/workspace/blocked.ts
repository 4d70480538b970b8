import { stripHiddenCharacters } from "../../../domain/text/hidden-text.ts";
import { RelayError } from "../../../lib/errors.ts";
import { classify } from "../../../code/classify.ts";
import { compileGlob } from "../../../code/tools/glob.ts";
import type { PathTest } from "../../../code/tools/glob.ts";
import { protectedPaths } from "../../../code/tools/protected-files.ts";
import type { ChangeRules } from "./workspace.ts";

/**
 * What runs with rights of its own once it is pushed or cloned: builds, hooks, and Relay's own configuration; also
 * folders of settings, since the names of secret files are those of files alone.
 */
const RUNS_ELSEWHERE = [
  ".github/{workflows,actions}/**",
  ".gitlab-ci*.{yml,yaml}",
  ".gitlab/{ci,workflows}/**",
  "{.forgejo,.gitea}/workflows/**",
  "{.circleci,.buildkite,.woodpecker,.teamcity,.semaphore,.tekton,.drone,.azure-pipelines,.jenkins}/**",
  "Jenkinsfile*",
  "{.woodpecker,.drone,.travis,.cirrus,appveyor,.appveyor,bitbucket-pipelines,wercker}.{yml,yaml}",
  "azure-pipelines*.{yml,yaml}",
  "{cloudbuild,buildspec}*.{yml,yaml}",
  "{.husky,.githooks,githooks,.lefthook}/**",
  "{lefthook,.lefthook}.{yml,yaml,toml,json}",
  ".pre-commit-config.{yml,yaml}",
  ".gitmodules",
  "**/.env*/**",
  "{relay,.relay}.{yml,yaml}",
] as const;

/**
 * Tells which paths no commit of a run touches (R-WORK-6). Case is folded, and other spellings of a name that file
 * systems take for it count as it. Code is never a secret by its name alone: `secrets.ts` is judged by what is in it.
 * Throws `RelayError` `config` for a glob that cannot be read.
 */
export function blockedPaths(rules: ChangeRules): PathTest {
  const isSecret = protectedPaths();
  const runsElsewhere = anyOf(RUNS_ELSEWHERE);
  const isAllowed = anyOf(rules.allowed);
  const isBlocked = anyOf(rules.blocked);
  return (path) => isBlocked(path) || (!isAllowed(path) && (runsElsewhere(path) || (isSecret(path) && !isCode(path))));
}

function isCode(path: string): boolean {
  const { role, language } = classify(path);
  return language !== null && (role === "source" || role === "test");
}

function anyOf(globs: readonly string[]): PathTest {
  const tests = globs.map((glob) => {
    const compiled = compileGlob(glob, { ignoreCase: true });
    if (compiled.kind === "glob") return compiled.test;
    throw new RelayError("config", `cannot read the glob ${JSON.stringify(glob)} of paths: ${compiled.reason}`);
  });
  return (path) => {
    const plain = stripHiddenCharacters(path).replaceAll(/[. ]+(?=\/|$)/g, "");
    return tests.some((test) => test(path) || (plain !== path && test(plain)));
  };
}
