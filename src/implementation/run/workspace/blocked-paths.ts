import { stripHiddenCharacters } from "../../../domain/text/hidden-text.ts";
import { RelayError } from "../../../lib/errors.ts";
import { classify } from "../../../code/classify.ts";
import { compileGlob, type PathTest } from "../../../code/tools/glob.ts";
import { protectedPaths } from "../../../code/tools/protected-files.ts";
import type { ChangeRules } from "./workspace.ts";

/**
 * Files that run with their own permissions once pushed or cloned (CI, hooks) and Relay's own configuration; also
 * folders named `.env*`, as the list of secret files covers files only.
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
 * Matches paths that no commit of a run may touch (R-WORK-6). Ignores case, and matches every spelling that a file
 * system treats as the same name. Source code is never blocked for its name alone: `secrets.ts` is checked by content.
 * Throws `RelayError` `config` for an invalid glob.
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
