import { TRACKERS } from "../adapters/trackers/registry.ts";
import { findCodeOwners, ownersByPattern, parseCodeOwners } from "../domain/code-owners.ts";
import type { Provider } from "../domain/issue.ts";
import type { OpenIndex } from "../code/index/explorer.ts";
import type { Repository } from "../code/git/repository.ts";

/** The repository as in the triage and plan contracts. */
export async function repositoryContext(provider: Provider, code: Repository, index: OpenIndex) {
  return {
    languages: languagesOf(index),
    file_tree: (await code.files()).filter(({ kind }) => kind === "file").map(({ path }) => path),
    codeowners: await codeOwnersIn(code, provider),
  };
}

const MOST_LANGUAGES = 8;

/** The languages of the code, most frequent first. */
function languagesOf(index: Pick<OpenIndex, "files">): string[] {
  const counts = new Map<string, number>();
  for (const { language, role } of index.files) {
    if (language !== null && role === "source") counts.set(language, (counts.get(language) ?? 0) + 1);
  }
  const languages = [...counts].toSorted((a, b) => b[1] - a[1]).map(([language]) => language);
  return languages.slice(0, MOST_LANGUAGES);
}

/** The repository's CODEOWNERS in the contract's form, pattern to owners; empty if there is none (R-FIX-1). */
export async function codeOwnersIn(
  code: Pick<Repository, "exists" | "readFile">,
  provider: Provider,
): Promise<Record<string, string[]>> {
  const format = TRACKERS[provider].codeOwners;
  // A file that cannot be read as text names no owners.
  const text = await findCodeOwners(format, async (path) =>
    (await code.exists(path)) ? await code.readFile(path).catch(() => "") : null,
  );
  return text === null ? {} : ownersByPattern(parseCodeOwners(text, format));
}
