import type { CommitAuthor } from "../../../domain/work.ts";
import type { Committing } from "../code-host.ts";
import { once } from "../connection.ts";
import { unlessMissing } from "../missing.ts";
import type { Access, Identity } from "./access.ts";
import { profile as profileAnswer, read } from "./api-schemas.ts";

/** The address that GitHub itself gives commits of an account: `ID+login@users.noreply.github.com`. */
export function githubCommitting(
  { bot, profile, web }: Pick<Identity, "bot" | "profile"> & { web: string },
  { callFor }: Pick<Access, "callFor">,
): Committing {
  const domain = `users.noreply.${new URL(web).hostname}`;
  const look = async (project: string): Promise<CommitAuthor> => {
    const found = profile ?? (await lookUp(project));
    const name = found?.name?.trim();
    return {
      name: name === undefined || name === "" ? bot : name,
      email: `${found === null ? "" : `${found.id}+`}${bot}@${domain}`,
    };
  };
  const lookUp = async (project: string) => {
    const call = await callFor(project);
    const answer = await unlessMissing(call({ method: "GET", path: `/users/${encodeURIComponent(bot)}` }));
    return answer && read(profileAnswer, answer.body, `the account ${bot}`);
  };
  return { commitAuthor: once(look) };
}
