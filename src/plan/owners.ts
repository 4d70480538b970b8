import { ownersByPattern, parseCodeOwners } from "../domain/code-owners.ts";
import type { Provider } from "../domain/issue.ts";
import type { Repository } from "../code/git/repository.ts";

/** Where trackers look for the file, in their order; the first that is there counts. */
const PLACES: Record<Provider, readonly string[]> = {
  local: [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"],
  github: [".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS"],
  gitlab: ["CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS"],
};

/** The repository's CODEOWNERS as the contract writes it, pattern to owners; empty where there is none (R-FIX-1). */
export async function codeOwnersIn(
  code: Pick<Repository, "exists" | "readFile">,
  provider: Provider,
): Promise<Record<string, string[]>> {
  for (const path of PLACES[provider]) {
    if (!(await code.exists(path))) continue;
    // What cannot be read as text names nobody.
    const text = await code.readFile(path).catch(() => null);
    return text === null ? {} : ownersByPattern(parseCodeOwners(text, provider));
  }
  return {};
}
