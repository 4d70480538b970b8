import { z } from "zod";
import type { IssueAddress } from "../../../domain/issue.ts";
import { unfit } from "../texts.ts";
import type { Tracker } from "../tracker.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { type RepositoryCall, commentIdOf, numberOf } from "./repository.ts";

const KNOWN = ["+1", "-1", "laugh", "confused", "heart", "hooray", "rocket", "eyes"];
const PAGE = 100;
const MOST_PAGES = 20;

type Reactions = Pick<Tracker, "addReaction" | "listReactions">;

/** GitHub has eight reactions, each at most once per person. */
export function githubReactions(call: RepositoryCall): Reactions {
  return {
    addReaction: async (address, commentId, emoji) => {
      const content = contentOf(emoji);
      await call(address.externalProjectId, { method: "POST", path: pathFor(address, commentId), body: { content } });
    },
    listReactions: async (address, commentId, emoji) => {
      const query = { content: contentOf(emoji), per_page: PAGE };
      const logins: string[] = [];
      for (let page = 1; page <= MOST_PAGES; page += 1) {
        const path = pathFor(address, commentId);
        const answer = await call(address.externalProjectId, { method: "GET", path, query: { ...query, page } });
        const found = read(z.array(answers.reaction), answer.body, "reactions");
        logins.push(...found.map(({ user }) => user.login));
        if (answer.next === null) break;
      }
      return logins;
    },
  };
}

function pathFor(address: IssueAddress, commentId: string | null): string {
  const number = numberOf(address);
  return commentId === null ? `/issues/${number}/reactions` : `/issues/comments/${commentIdOf(commentId)}/reactions`;
}

function contentOf(emoji: string): string {
  if (KNOWN.includes(emoji)) return emoji;
  throw unfit(`GitHub has no reaction ${JSON.stringify(emoji)}, only ${KNOWN.join(", ")}`);
}
