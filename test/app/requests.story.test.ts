import { expect, test } from "vitest";
import { openHosted } from "../support/hosted-relay.ts";

/** At most so many requests of each kind. */
const MOST: Record<string, number> = {
  "users/get-authenticated": 1,
  "issues/list": 1,
  "issues/list-for-repo": 1,
  "repos/get": 8,
  "repos/get-content": 5,
  "repos/get-branch": 1,
  "repos/get-collaborator-permission-level": 4,
  "issues/get": 10,
  "issues/list-comments": 9,
  // Its status comment, and four that ask and answer; the status comment is edited at each stage.
  "issues/create-comment": 5,
  "issues/update-comment": 7,
  "issues/get-label": 1,
  "issues/create-label": 1,
  "issues/add-labels": 1,
  "reactions/create-for-issue": 1,
  "reactions/list-for-issue-comment": 2,
  // GraphQL, about the yes: whether it stands as its author wrote it.
  "": 1,
  "reactions/create-for-issue-comment": 3,
};
const MOST_IN_ALL = 50;

test("from a vague issue to its approved plan Relay asks GitHub for little, and for nothing twice that it knows", async () => {
  const life = await openHosted({ BOT_IDLE_MINUTES: "0" });
  const number = life.open("ann", "Wrong total in the cart", "The total is wrong.");
  life.mock.act({ do: "assign", as: "mia", repo: "acme/shop", number, login: "relay" });
  await life.reaches(number, "clarifying");
  life.say("ann", number, "1. `total([])` in src/cart.ts throws.\n2. It should be 0.");
  await life.reaches(number, "awaiting_proceed");
  life.say("mia", number, "go ahead");
  await life.reaches(number, "waiting_confirmation");
  life.say("mia", number, "yes");
  await life.reaches(number, "queued");
  expect(life.said(number)).toHaveLength(4);
  const counts: Record<string, number> = {};
  for (const { operation } of life.mock.requests) counts[operation ?? ""] = (counts[operation ?? ""] ?? 0) + 1;
  const tooMany = Object.entries(counts).filter(([operation, count]) => count > (MOST[operation] ?? 0));
  expect(tooMany).toEqual([]);
  expect(life.mock.requests.length).toBeLessThanOrEqual(MOST_IN_ALL);
  expect(life.mock.violations).toEqual([]);
});
