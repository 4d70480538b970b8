import type { CommitAuthor } from "../../../domain/work.ts";
import type { Call } from "../pages.ts";
import type { Forge } from "../code-host.ts";
import type { Account } from "../tracker.ts";
import { gitlabAssigner } from "./assigner.ts";
import { gitlabChecks } from "./checks.ts";
import { gitlabInspection } from "./comment-inspection.ts";
import { gitlabComments } from "./comments.ts";
import { gitlabIssues } from "./issues.ts";
import { gitlabLabels } from "./labels.ts";
import { gitlabPeople } from "./people.ts";
import { gitlabPullRequests } from "./pull-requests.ts";
import { gitlabProjects } from "./projects.ts";
import { gitlabReactions } from "./reactions.ts";
import { gitlabReviews } from "./reviews.ts";

/** GitLab, as the account that owns the token. Calls are never retried (R-ACT-5). */
export function gitlabTracker(
  call: Call,
  {
    graphqlUrl,
    commitAuthor,
    ...account
  }: Omit<Account, "provider"> & { graphqlUrl: string; commitAuthor: CommitAuthor },
): Forge {
  const people = gitlabPeople(call);
  return {
    provider: "gitlab",
    ...account,
    hasConfidentialIssues: true,
    hasHiddenComments: false,
    ...gitlabIssues(call),
    ...gitlabComments(call, people.meet),
    ...gitlabInspection(call, graphqlUrl),
    ...gitlabAssigner(call, people),
    ...gitlabReactions(call, account.bot),
    ...gitlabLabels(call),
    ...gitlabProjects(call, people),
    commitAuthor: async () => await Promise.resolve(commitAuthor),
    ...gitlabPullRequests(call),
    ...gitlabReviews(call),
    ...gitlabChecks(call),
  };
}
