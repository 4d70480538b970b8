import { Hono } from "hono";
import { z } from "zod";
import { localPeople } from "../../../adapters/trackers/local/people.ts";
import { LONGEST_WORDS } from "../../../app/people/acts.ts";
import { type Viewer, isOperator } from "../../../app/people/viewer.ts";
import { type IssueAddress, addressOf, issueName } from "../../../domain/issue.ts";
import { requireName } from "../../../domain/person-name.ts";
import { RelayError } from "../../../lib/errors.ts";
import { findRequest } from "../../../storage/pull-requests.ts";
import { latestTask } from "../../../storage/tasks.ts";
import type { PageEnv } from "../../login.ts";
import { ISSUE, addressIn, issuePath } from "../address.ts";
import { type ApiDeps, seenIssue } from "../deps.ts";
import { given, told } from "../describe.ts";
import { changeHeaders, once } from "../once.ts";
import { anyText, plainText } from "../texts.ts";
import { actSchema, stateOf } from "./acts.ts";

const as = z.string().optional().meta({ description: "Who does it; only who runs Relay may name somebody else." });

export const openedSchema = z
  .object({ issue: z.string(), address: z.string().meta({ description: "Its path in this API." }) })
  .meta({ id: "Opened" });

/** What people do in the local tracker: they open issues, and review requests. */
export function localRoutes(deps: ApiDeps): Hono<PageEnv> {
  const { clock, bot } = deps;
  const routes = new Hono<PageEnv>();

  routes.post(
    "/issues",
    told({
      id: "openIssue",
      tag: "acts",
      summary: "Opens an issue of the local tracker and assigns it to Relay.",
      status: 201,
      answer: openedSchema,
      refusals: [403, 404, 409, 413, 415, 422],
    }),
    given("header", changeHeaders),
    given(
      "json",
      z.strictObject({
        repository: plainText(500),
        title: plainText(250),
        body: anyText(LONGEST_WORDS).default(""),
        as,
      }),
    ),
    async (c) => {
      const { repository, title, body, as: named } = c.req.valid("json");
      const author = whoActs(c.get("viewer"), named, bot);
      return await once(c, deps, { status: 201 }, async ({ locally }) => {
        const [event] = await locally(async (tx) => {
          const people = localPeople(tx, deps);
          await people.invite(repository, author, "read");
          const one = await people.openIssue(repository, {
            number: null,
            title,
            body: body.replaceAll("\r\n", "\n"),
            author,
            labels: [],
            assignees: [],
            url: null,
            createdAt: clock.now(),
          });
          return [one, await people.assign(one, c.get("viewer").login, bot)];
        });
        if (event === undefined) throw new RelayError("internal", "the issue that was opened told of no event");
        const answer: z.infer<typeof openedSchema> = { issue: issueName(event), address: pathOf(addressOf(event)) };
        return answer;
      });
    },
  );

  routes.post(
    `${ISSUE}/review`,
    told({
      id: "reviewRequest",
      tag: "acts",
      summary: "Reviews the open request of an issue of the local tracker.",
      status: 202,
      answer: actSchema,
      refusals: [403, 404, 409, 413, 415, 422],
    }),
    given("param", issuePath),
    given("header", changeHeaders),
    given(
      "json",
      z.discriminatedUnion("do", [
        z.strictObject({ do: z.literal("changes"), text: plainText(LONGEST_WORDS), as }),
        z.strictObject({ do: z.literal("merge"), as }).meta({ description: "Marks it as merged; git merges it." }),
        z.strictObject({ do: z.literal("close"), as }),
      ]),
    ),
    async (c) => {
      const [address, wanted] = [addressIn(c.req.valid("param")), c.req.valid("json")];
      const who = whoActs(c.get("viewer"), wanted.as, bot);
      return await once(c, deps, { status: 202 }, async ({ locally }) => {
        const issue = await seenIssue(deps, c.get("viewer"), address);
        if (address.provider !== "local") {
          throw new RelayError("forbidden", `requests of ${issueName(address)} are reviewed in its tracker`);
        }
        await locally(async (tx) => {
          const request = await openRequest(address, issue.id, deps);
          const people = localPeople(tx, deps);
          switch (wanted.do) {
            case "changes":
              return [await people.reviewComment(request, who, wanted.text, null)];
            case "merge":
              return [await people.mergeRequest(request, who)];
            case "close":
              return [await people.closeRequest(request, who)];
            default:
              return wanted satisfies never;
          }
        });
        return await stateOf(issue, deps);
      });
    },
  );
  return routes;
}

async function openRequest(address: IssueAddress, issueId: string, { db }: ApiDeps) {
  const task = await latestTask(db(), issueId);
  const request = task && (await findRequest(db(), task.id));
  if (request?.state === "open") return { project: address.externalProjectId, number: request.number };
  throw new RelayError("conflict", `${issueName(address)} has no open request`);
}

/** Accounts of other trackers have no part in the local one, where somebody else may have the same name. */
function whoActs(viewer: Viewer, named: string | undefined, bot: string): string {
  const who = named ?? viewer.login;
  if (isOperator(viewer)) {
    requireName(who, bot);
    return who;
  }
  throw new RelayError("not_found", "the local tracker is for who runs Relay");
}

function pathOf({ provider, externalProjectId, externalIssueId }: IssueAddress): string {
  return `/api/v1/issues/${[provider, externalProjectId, externalIssueId].map(encodeURIComponent).join("/")}`;
}
