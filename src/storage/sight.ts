import type { Sight } from "../domain/sight.ts";

/**
 * SQL: whether the viewer may see the issue `s` (R-SAFE-4, R-SAFE-11). Its parameters are numbered from `first`. A row
 * of an outer join without an issue is only visible to viewers who may see everything.
 */
export function seenBy(
  { repositories, triages, login }: Sight,
  first: number,
): { where: string; parameters: unknown[] } {
  const [inRepositories, inTriaged, byLogin] = [first, first + 1, first + 2].map((n) => `$${n}`);
  return {
    where: `(${inRepositories}::bigint[] is null or (s.repository_id = any(${inRepositories}::bigint[])
      and (not s.confidential or s.repository_id = any(${inTriaged}::bigint[]) or lower(s.reporter) = lower(${byLogin})
        or exists (select from jsonb_array_elements_text(s.assignees) name where lower(name) = lower(${byLogin})))))`,
    parameters: [repositories, triages, login],
  };
}
