import { z } from "zod";
import { isOfPullRequest } from "../../../domain/event.ts";
import type { IssueAddress } from "../../../domain/issue.ts";
import { unfit } from "../texts.ts";
import type { Tracker } from "../tracker.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { type RepositoryCall, commentIdOf, numberOf } from "./repository.ts";
import { parseThread } from "./thread-names.ts";

const KNOWN = ["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"];
const PAGE = 100;
const MOST_PAGES = 20;

type Reactions = Pick<Tracker, "addReaction" | "listVotes" | "listReactions">;

/** GitHub has eight reactions, each at most once per person. */
export function githubReactions(call: RepositoryCall): Reactions {
  const list = async (address: IssueAddress, commentId: string | null, content: string | null) => {
    const found: z.infer<typeof answers.reaction>[] = [];
    const query = { ...(content === null ? {} : { content }), per_page: PAGE };
    for (let page = 1; page <= MOST_PAGES; page += 1) {
      const path = pathFor(address, commentId);
      const answer = await call(address.externalProjectId, { method: "GET", path, query: { ...query, page } });
      found.push(...read(z.array(answers.reaction), answer.body, "reactions"));
      if (answer.next === null) break;
    }
    return found;
  };
  return {
    addReaction: async (address, commentId, emoji, threadId = null) => {
      const path = pathFor(address, commentId, threadId);
      const body = { content: contentOf(emoji) };
      await call(address.externalProjectId, { method: "POST", path, body, kind: "reaction" });
    },
    listVotes: async (address, commentId) => {
      const found = await list(address, commentId, null);
      const by = (content: string) => found.filter((one) => one.content === content).map(({ user }) => user.login);
      return { up: by("+1"), down: by("-1") };
    },
    listReactions: async (address, commentId, emoji) =>
      (await list(address, commentId, contentOf(emoji))).map(({ user }) => user.login),
  };
}

/**
 * Comments on lines of a pull request have another path than those under it; REST has no reactions to whole reviews.
 */
function pathFor(address: IssueAddress, commentId: string | null, threadId: string | null = null): string {
  if (commentId === null) return `/issues/${numberOf(address)}/reactions`;
  const thread = isOfPullRequest(address) && threadId !== null ? parseThread(threadId) : null;
  if (thread?.kind === "review") throw unfit("GitHub takes no reaction to a review as a whole");
  return `/${thread?.kind === "line" ? "pulls" : "issues"}/comments/${commentIdOf(commentId)}/reactions`;
}

function contentOf(emoji: string): string {
  if (KNOWN.includes(emoji)) return emoji;
  throw unfit(`GitHub has no reaction ${JSON.stringify(emoji)}, only ${KNOWN.join(", ")}`);
}
