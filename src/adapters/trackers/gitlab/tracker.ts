import type { Call } from "../pages.ts";
import type { Forge } from "../code-host.ts";
import type { Account } from "../tracker.ts";
import { gitlabChecks } from "./checks.ts";
import { gitlabComments } from "./comments.ts";
import { gitlabIssues } from "./issues.ts";
import { gitlabLabels } from "./labels.ts";
import { gitlabPeople } from "./people.ts";
import { gitlabPullRequests } from "./pull-requests.ts";
import { gitlabProjects } from "./projects.ts";
import { gitlabReactions } from "./reactions.ts";
import { gitlabReviews } from "./reviews.ts";

/** GitLab, as the account that owns the token. Calls are never retried (R-ACT-5). */
export function gitlabTracker(call: Call, account: Omit<Account, "provider">): Forge {
  const people = gitlabPeople(call);
  return {
    provider: "gitlab",
    ...account,
    hasConfidentialIssues: true,
    ...gitlabIssues(call),
    ...gitlabComments(call, people.meet),
    ...gitlabReactions(call, account.bot),
    ...gitlabLabels(call),
    ...gitlabProjects(call, people),
    ...gitlabPullRequests(call),
    ...gitlabReviews(call),
    ...gitlabChecks(call),
  };
}
