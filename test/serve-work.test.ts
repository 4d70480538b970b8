import { expect, test } from "vitest";
import { githubPlace } from "./hosted-github.ts";
import { gitlabPlace } from "./hosted-gitlab.ts";
import { PATIENT, agree, openServing } from "./serve-work-stage.ts";

test.each([
  ["GitHub", githubPlace],
  ["GitLab", gitlabPlace],
])(
  "on %s, what was agreed to becomes one request, which follows its review until it is merged",
  async (_, open) => {
    const place = await open();
    const serving = await openServing(place);
    await serving.start("web,planner,worker");
    const issue = await agree(serving);
    await expect.poll(() => place.issue(issue).labels, PATIENT).toContain("relay:review");
    const first = serving.only();
    console.log(first, place.issue(issue));
  },
  120_000,
);
