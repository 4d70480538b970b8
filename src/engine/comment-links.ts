import { fileAddress } from "../adapters/trackers/addresses.ts";
import { citationsIn } from "../domain/spec-document/citations.ts";
import { linkedInline } from "../domain/spec-document/links.ts";
import { link } from "../domain/text/comment-markdown.ts";
import { phrases } from "../i18n/phrases.ts";
import type { CycleContext } from "../planner/planner.ts";
import { listGaps } from "../storage/gaps.ts";
import { getIssue } from "../storage/issues.ts";
import type { SpecDeps } from "./write-spec.ts";

/**
 * A planner's comment in which each place of the code leads to its lines (R-SPEC-17); the question whether to revise a
 * spec leads to the current version (R-SPEC-18), no matter who worded it.
 */
export async function withLinks(
  text: string,
  { issue, specUrl, planned }: Pick<CycleContext, "issue" | "specUrl" | "planned">,
  deps: Pick<SpecDeps, "db" | "code" | "repository">,
): Promise<string> {
  const linked = await linkedPlaces(text, deps);
  // With a plan before people, a spec just written, or open questions, a comment asks for no revision.
  if (specUrl === null || planned || linked.includes(specUrl)) return linked;
  if ((await getIssue(deps.db, issue.id)).spec?.sha256 !== issue.spec?.sha256) return linked;
  if ((await listGaps(deps.db, issue.id)).some(({ status }) => status === "open")) return linked;
  return `${linked}\n\n${link(phrases("plan", issue.language)("spec"), specUrl)}`;
}

/** Places that do not exist stay text. */
async function linkedPlaces(
  text: string,
  { code, repository }: Pick<SpecDeps, "code" | "repository">,
): Promise<string> {
  const lengths = new Map<string, number>();
  for (const cited of citationsIn(text, 1)) {
    if (cited.kind === "file") lengths.set(cited.path, (await code.lines(cited.path)) ?? 0);
  }
  return linkedInline(text, (cited) => {
    if (cited.kind !== "file" || cited.start < 1 || cited.end > (lengths.get(cited.path) ?? 0)) return null;
    const { path, ...lines } = cited;
    return fileAddress(repository, code.commit, { path, lines });
  });
}
