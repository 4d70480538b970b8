import { RelayError } from "../../lib/errors.ts";
import { checkName, unfit } from "../texts.ts";
import type { IssueTracker } from "../tracker.ts";
import * as answers from "./answers.ts";
import { read } from "./answers.ts";
import type { Call } from "./calls.ts";
import { issuePath, nameOf } from "./calls.ts";

/** Labels of issues. GitLab makes those that are missing, and passes over in silence what Relay may not do. */
export function gitlabLabels(call: Call): Pick<IssueTracker, "changeLabels"> {
  return {
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
      throw new RelayError(
        "forbidden",
        `GitLab did not change the labels of ${nameOf(address)}; give Relay's account the role Developer in the project`,
        { status: 403 },
      );
    },
  };
}

function checkLabel(name: string): void {
  checkName(name, "a label");
  if (name.includes(",")) throw unfit(`a label of GitLab cannot hold a comma: ${JSON.stringify(name)}`);
}
