import type { Call } from "../pages.ts";
import { RelayError } from "../../../lib/errors.ts";
import { checkName, unfit } from "../texts.ts";
import type { PullRequests } from "../code-host.ts";
import type { Tracker } from "../tracker.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { issuePath, nameOf, requestPath } from "./calls.ts";

type Labels = Pick<Tracker, "changeLabels"> & Pick<PullRequests, "labelPullRequest">;

/** Labels of issues and merge requests. GitLab creates missing ones, and silently ignores forbidden changes. */
export function gitlabLabels(call: Call): Labels {
  return {
    labelPullRequest: async (project, number, wanted) => {
      for (const name of wanted) checkLabel(name);
      if (wanted.length === 0) return;
      const name = `${project}!${number}`;
      const answer = await call({ method: "PUT", path: requestPath(project, number), body: { add_labels: wanted } });
      const { labels } = read(answers.mergeRequest, answer.body, `merge request ${name}`);
      if (!wanted.every((one) => labels.includes(one))) throw notChanged(name);
    },
    changeLabels: async (address, { add, remove }) => {
      for (const name of [...add, ...remove]) checkLabel(name);
      if (add.length + remove.length === 0) return;
      const unwanted = remove.filter((name) => !add.includes(name));
      const body = {
        ...(add.length === 0 ? {} : { add_labels: add }),
        ...(unwanted.length === 0 ? {} : { remove_labels: unwanted }),
      };
      const answer = await call({ method: "PUT", path: issuePath(address), body });
      const { labels } = read(answers.issue, answer.body, `issue ${nameOf(address)}`);
      if (add.every((name) => labels.includes(name)) && !unwanted.some((name) => labels.includes(name))) return;
      throw notChanged(nameOf(address));
    },
  };
}

function notChanged(name: string): RelayError {
  return new RelayError(
    "forbidden",
    `GitLab did not change the labels of ${name}; give Relay's account the role Developer in the project`,
    { status: 403 },
  );
}

function checkLabel(name: string): void {
  checkName(name, "a label");
  if (name.includes(",")) throw unfit(`a label of GitLab cannot hold a comma: ${JSON.stringify(name)}`);
}
