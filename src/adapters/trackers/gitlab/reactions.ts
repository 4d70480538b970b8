import { type Call, pages } from "../pages.ts";
import { sameLogin } from "../../../domain/login.ts";
import { z } from "zod";
import type { IssueAddress } from "../../../domain/issue.ts";
import { RelayError } from "../../../lib/errors.ts";
import { unfit } from "../texts.ts";
import type { Tracker } from "../tracker.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { nameOf, notePath, placeOf } from "./calls.ts";

const PAGE = 100;
const MOST_PAGES = 20;

/** Emoji with a different name on GitHub. */
const NAMES: Record<string, string> = { "+1": "thumbsup", "-1": "thumbsdown", laugh: "laughing", hooray: "tada" };

type Reactions = Pick<Tracker, "addReaction" | "listVotes" | "listReactions">;

/** GitLab calls them award emoji; each exists at most once per person. */
export function gitlabReactions(call: Call, bot: string): Reactions {
  const listAll = async (address: IssueAddress, commentId: string | null) => {
    const found: z.infer<typeof answers.award>[] = [];
    const first = { method: "GET", path: pathOf(address, commentId), query: { per_page: PAGE } } as const;
    for await (const body of pages(call, first, MOST_PAGES)) {
      found.push(...read(z.array(answers.award), body, `the reactions on ${nameOf(address)}`));
    }
    return found;
  };
  const list = async (address: IssueAddress, commentId: string | null, name: string): Promise<string[]> =>
    (await listAll(address, commentId)).filter((one) => one.name === name).map((one) => one.user);

  return {
    addReaction: async (address, commentId, emoji) => {
      const name = nameOfEmoji(emoji);
      try {
        await call({ method: "POST", path: pathOf(address, commentId), body: { name }, kind: "reaction" });
      } catch (error) {
        // 404 means a duplicate emoji or a missing comment; the existing emoji show which.
        if (!(error instanceof RelayError && (error.code === "not_found" || error.status === 409))) throw error;
        const logins = await list(address, commentId, name);
        if (!logins.some((login) => sameLogin(login, bot))) throw error;
      }
    },
    listVotes: async (address, commentId) => {
      const found = await listAll(address, commentId);
      const by = (emoji: string) => found.filter(({ name }) => name === NAMES[emoji]).map(({ user }) => user);
      return { up: by("+1"), down: by("-1") };
    },
    listReactions: async (address, commentId, emoji) => await list(address, commentId, nameOfEmoji(emoji)),
  };
}

function pathOf(address: IssueAddress, commentId: string | null): string {
  return `${commentId === null ? placeOf(address) : notePath(address, commentId)}/award_emoji`;
}

function nameOfEmoji(emoji: string): string {
  if (/^[a-z0-9_+-]{1,100}$/.test(emoji)) return NAMES[emoji] ?? emoji;
  throw unfit(`${JSON.stringify(emoji)} is no name of an emoji; GitLab's are like eyes or thumbsup`);
}
