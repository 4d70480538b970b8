// Issues with a known fix, one JSON object on each line of a file, and bare clones of their repositories in a folder, as
// OWNER+NAME/repo.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { type Repository, openRepository } from "../src/code/git/repository.ts";
import { Explorer, type OpenIndex } from "../src/code/index/explorer.ts";

const caseSchema = z.object({
  id: z.string(),
  repo: z.string(),
  language: z.string(),
  kind: z.string().optional(),
  base_commit: z.string(),
  fix_commit: z.string().optional(),
  issue_number: z.int(),
  issue_title: z.string(),
  issue_body: z.string(),
  issue_labels: z.array(z.string()).default([]),
  comments_before_fix: z.array(z.object({ body: z.string() })).default([]),
  gold_files: z.array(z.string()),
  gold_files_created_by_fix: z.array(z.string()).default([]),
});
export type Case = z.infer<typeof caseSchema>;

/** The cases about code whose clones are there; null, after saying so, without a file or a folder. */
export function casesHere(given: { cases?: string | undefined; mirrors?: string | undefined }) {
  const { cases, mirrors } = given;
  if (!cases || !mirrors || !existsSync(cases) || !existsSync(mirrors)) {
    console.log("Skipped: give --cases FILE (JSON lines) and --mirrors DIR (bare clones as OWNER+NAME/repo).");
    return null;
  }
  const all = readFileSync(cases, "utf8")
    .trim()
    .split("\n")
    .map((line) => caseSchema.parse(JSON.parse(line)))
    .filter((one) => one.kind !== "docs");
  const mirrorOf = (repo: string) => join(mirrors, repo.replace("/", "+"), "repo");
  const here = all.filter((one) => existsSync(mirrorOf(one.repo)));
  if (here.length < all.length)
    console.log(`Left out for want of a clone: ${all.length - here.length} of ${all.length}`);
  const explorers = new Map<string, Promise<Explorer>>();
  return {
    cases: here,
    mirrorOf,
    /** The code of a case and its index; one explorer serves all cases of a repository. The caller closes the code. */
    open: async ({ repo, base_commit: ref }: Case): Promise<{ code: Repository; index: OpenIndex }> => {
      const code = await openRepository(mirrorOf(repo), { ref });
      const explorer = explorers.get(code.gitDirectory) ?? Explorer.open(code.gitDirectory, null);
      explorers.set(code.gitDirectory, explorer);
      return { code, index: await (await explorer).at(code) };
    },
    close: async () => {
      for (const explorer of explorers.values()) (await explorer).close();
    },
  };
}

/** The files that the fix changed and that were there before it. */
export function goldOf({ gold_files: gold, gold_files_created_by_fix: created }: Case): string[] {
  return gold.filter((path) => !created.includes(path));
}
