import { z } from "zod";
import { escapeRegExp } from "../../../lib/text.ts";
import { type Call, pages } from "../pages.ts";
import type { Tracker } from "../tracker.ts";
import * as answers from "./api-schemas.ts";
import { read } from "./api-schemas.ts";
import { issuePath, nameOf } from "./calls.ts";
import type { GitlabPeople } from "./people.ts";

const PAGE = 100;
const MOST_PAGES = 3;

/**
 * Members below Reporter can assign an issue while they create it: GitLab makes no note of that, but one, in English
 * and by the assigner, of each later assignment.
 */
export function gitlabAssigner(call: Call, { roleOf }: GitlabPeople): Pick<Tracker, "assignerOf"> {
  return {
    assignerOf: async (address, assignee, told) => {
      const named = new RegExp(
        String.raw`^assigned to (?:(?!unassigned).)*@${escapeRegExp(assignee)}(?![\w.-]*\w)`,
        "iu",
      );
      const path = issuePath(address);
      const by = async () => {
        const query = { activity_filter: "only_activity", order_by: "created_at", sort: "desc", per_page: PAGE };
        let seen = 0;
        for await (const body of pages(call, { method: "GET", path: `${path}/notes`, query }, MOST_PAGES)) {
          const notes = read(z.array(answers.note), body, `the notes of ${nameOf(address)}`);
          const found = notes.find((note) => note.system && named.test(note.body));
          if (found) return found.author.login;
          seen += notes.length;
        }
        if (seen === PAGE * MOST_PAGES) return null;
        const { body } = await call({ method: "GET", path });
        return read(answers.issue, body, `issue ${nameOf(address)}`).author;
      };
      const login = told ?? (await by());
      return login === null ? null : { login, permission: await roleOf(address.externalProjectId, login) };
    },
  };
}
