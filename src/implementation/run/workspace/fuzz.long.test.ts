import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  BOT,
  makePipe,
  NO_RULES,
  runGit,
  workspaceStage,
  type WorkspaceStage,
} from "../../../../test/support/workspace-fixture.ts";
import type { Workspace } from "./workspace.ts";
import { triesOf } from "../../../../test/support/tries.ts";

const NAMES = ["a", "b", "src", "x.test.ts", ".env", ".gitignore", ".gitattributes", "ü", "sp ace", "l\nine", ".git"];
const CONTENTS = [
  "",
  "one\n",
  "one\r\ntwo\n",
  "*\n",
  "!a\nb/\n",
  "* ident filter=x eol=crlf\n",
  `k = "${["AKIA", "ABCDEFGHIJKLMNOP"].join("")}"\n`,
];
const path = fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
const act = fc.oneof(
  fc.record({ kind: fc.constant("write" as const), path, content: fc.constantFrom(...CONTENTS) }),
  fc.record({
    kind: fc.constant("link" as const),
    path,
    target: fc.constantFrom("a", "../a", "/etc", "..", "a/../..", ""),
  }),
  fc.record({ kind: fc.constant("move" as const), path, to: path }),
  fc.record({ kind: fc.constantFrom("remove", "pipe", "run", "init", "shut"), path }),
);
let stage: WorkspaceStage;
let workspace: Workspace;

beforeAll(() => {
  stage = workspaceStage({
    a: "one\n",
    "src/a": "one\n",
    "src/x.test.ts": "one\ntwo\n",
    "src/b/ü": "x\n",
    "b/sp ace": "y\n",
  });
});

afterAll(() => stage.close());

/** What cannot be done is not done. */
function perform(one: typeof act extends fc.Arbitrary<infer T> ? T : never): void {
  const at = join(workspace.directory, one.path);
  try {
    mkdirSync(dirname(at), { recursive: true });
    if (one.kind === "write" && "content" in one) writeFileSync(at, one.content);
    else if (one.kind === "link" && "target" in one) symlinkSync(one.target, at);
    else if (one.kind === "move" && "to" in one) renameSync(at, join(workspace.directory, one.to));
    else if (one.kind === "remove") rmSync(at, { recursive: true });
    else if (one.kind === "pipe") makePipe(at);
    else if (one.kind === "run") chmodSync(at, 0o755);
    else if (one.kind === "init") mkdirSync(join(at, ".git"));
    else if (one.kind === "shut") chmodSync(at, 0o000);
  } catch {
    // As an agent would see it.
  }
}

test("whatever is done to a tree, what is left of it is in the commit, and nothing else", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { minLength: 1, maxLength: 12 }), async (acts) => {
      workspace = await stage.open();
      for (const one of acts) perform(one);
      const { changed } = await workspace.validate(NO_RULES);
      const again = await workspace.validate(NO_RULES);
      expect(again).toEqual({ changed, reverted: [] });
      const commit = await workspace.commit("feat: some", BOT);
      expect(commit === null).toBe(changed.length === 0);
      expect((await workspace.validate(NO_RULES)).changed).toEqual([]);
      await workspace.tidy();
      await workspace.renew();
      // Git itself sees the same, but for what is ignored.
      expect(runGit(workspace.directory, "status", "--porcelain")).toBe("");
      const listed = stage.git("ls-tree", "-r", "--name-only", "-z", workspace.head());
      expect(listed).not.toMatch(/\.env|(?:^|[/\0])\.git(?:[/\0]|$)/);
      expect(await workspace.patch(1_000_000)).not.toMatch(/^\+.*AKIA[A-Z]{16}/m);
    }),
    { numRuns: triesOf(10) },
  );
});
