import { type Context, Hono } from "hono";
import { z } from "zod";
import { LONGEST_WORDS } from "../../../app/people/acts.ts";
import { CONTROLS } from "../../../app/people/control.ts";
import type { Decision } from "../../../app/people/decisions.ts";
import { type Viewer, isOperator } from "../../../app/people/viewer.ts";
import { type Issue, type IssueAddress, issueName } from "../../../domain/issue.ts";
import { ISSUE_STATES, type IssueState } from "../../../domain/lifecycle.ts";
import { isBlank } from "../../../domain/text/hidden-characters.ts";
import { RelayError } from "../../../lib/errors.ts";
import { listDeadLetters } from "../../../storage/dead-letters.ts";
import { listGaps } from "../../../storage/gaps.ts";
import { findIssue, findIssueById } from "../../../storage/issues.ts";
import type { PageEnv } from "../../login.ts";
import { ISSUE, addressIn, issuePath } from "../address.ts";
import { type ApiDeps, seenIssue } from "../deps.ts";
import { given, told } from "../describe.ts";
import { changeHeaders, once } from "../once.ts";
import { id } from "../shapes/basics.ts";
import { count, plainText } from "../texts.ts";

/** As `relay pause --json` prints it. */
export const actSchema = z
  .object({
    id: id.nullable(),
    issue: z.string().meta({ description: "The issue's name, such as `github/acme/shop#12`." }),
    state: z
      .enum(ISSUE_STATES)
      .nullable()
      .meta({ description: "As it is now; what words change, they change a moment later." }),
  })
  .meta({ id: "Act" });

const REFUSALS = [403, 404, 409, 413, 415, 422] as const;
const nothing = z.strictObject({});

/** What people say and do at an issue: words that count like those in its thread, and the operator's controls. */
export function actRoutes(deps: ApiDeps): Hono<PageEnv> {
  const { db, acts } = deps;
  const routes = new Hono<PageEnv>();

  /** Posts words that `wordsFor` makes for the issue; 202, since Relay reads them a moment later. */
  const say = async (
    c: Context<PageEnv>,
    address: IssueAddress,
    wordsFor: (issue: Issue) => Promise<string> | string,
  ): Promise<Response> =>
    await once(c, deps, { status: 202 }, async ({ key }) => {
      const viewer = c.get("viewer");
      const issue = await seenIssue(deps, viewer, address);
      await acts.say(address, await wordsFor(issue), viewer, key);
      return await stateOf(issue, deps);
    });

  /** The same for a decision; one that was posted before and still holds is not posted again. */
  const decide = async (c: Context<PageEnv>, address: IssueAddress, decision: Decision): Promise<Response> =>
    await once(c, deps, { status: 202 }, async () => {
      const viewer = c.get("viewer");
      const issue = await seenIssue(deps, viewer, address);
      await acts.decide(address, decision, viewer);
      return await stateOf(issue, deps);
    });

  routes.post(
    `${ISSUE}/comments`,
    told({
      id: "comment",
      tag: "acts",
      summary: "Says something at the issue, in the name of who calls.",
      status: 202,
      answer: actSchema,
      refusals: REFUSALS,
    }),
    given("param", issuePath),
    given("header", changeHeaders),
    given("json", z.strictObject({ text: plainText(LONGEST_WORDS).meta({ description: "Markdown." }) })),
    async (c) => await say(c, addressIn(c.req.valid("param")), () => c.req.valid("json").text),
  );

  routes.post(
    `${ISSUE}/gaps/:gap/answer`,
    told({
      id: "answerGap",
      tag: "acts",
      summary: "Answers an open question.",
      status: 202,
      answer: actSchema,
      refusals: REFUSALS,
    }),
    given("param", issuePath.extend({ gap: count })),
    given("header", changeHeaders),
    given("json", z.strictObject({ text: plainText(10_000) })),
    async (c) => {
      const path = c.req.valid("param");
      return await say(c, addressIn(path), async (issue) => {
        const gap = (await listGaps(db(), issue.id)).find(({ number }) => number === path.gap);
        if (gap === undefined) throw new RelayError("not_found", `${issueName(issue)} has no question ${path.gap}`);
        if (isBlank(c.req.valid("json").text)) throw new RelayError("invalid", "the answer has no words; write it out");
        if (gap.status === "open") return `${gap.number}. ${c.req.valid("json").text}`;
        throw new RelayError("conflict", `question ${gap.number} is ${gap.status}; say more in a comment`);
      });
    },
  );

  routes.post(
    `${ISSUE}/go-ahead`,
    told({
      id: "goAhead",
      tag: "acts",
      summary: "Has the spec written; open questions become assumptions.",
      status: 202,
      answer: actSchema,
      refusals: REFUSALS,
    }),
    given("param", issuePath),
    given("header", changeHeaders),
    given("json", nothing),
    async (c) => await decide(c, addressIn(c.req.valid("param")), { name: "go-ahead", about: null }),
  );

  routes.post(
    `${ISSUE}/plan/versions/:version/agree`,
    told({
      id: "agreeToPlan",
      tag: "acts",
      summary: "Agrees to this version of the plan; 409 if it is not the one that waits for a yes.",
      status: 202,
      answer: actSchema,
      refusals: REFUSALS,
    }),
    given("param", issuePath.extend({ version: count })),
    given("header", changeHeaders),
    given("json", nothing),
    async (c) => {
      const path = c.req.valid("param");
      return await decide(c, addressIn(path), { name: "agree", about: `${path.version}` });
    },
  );

  routes.post(
    `${ISSUE}/stop`,
    told({
      id: "stop",
      tag: "acts",
      summary: "Halts the plan, the task or the run, until somebody says to go on.",
      status: 202,
      answer: actSchema,
      refusals: REFUSALS,
    }),
    given("param", issuePath),
    given("header", changeHeaders),
    given("json", nothing),
    async (c) => await decide(c, addressIn(c.req.valid("param")), { name: "stop", about: null }),
  );

  for (const verb of CONTROLS) {
    routes.post(
      `${ISSUE}/${verb}`,
      told({
        id: verb,
        tag: "acts",
        summary: CONTROL_WORDS[verb],
        answer: actSchema,
        refusals: REFUSALS,
      }),
      given("param", issuePath),
      given("header", changeHeaders),
      given("json", nothing),
      async (c) =>
        await once(c, deps, { status: 200 }, async () => {
          const [viewer, address] = [c.get("viewer"), addressIn(c.req.valid("param"))];
          if (verb === "retry" && isOperator(viewer) && (await findIssue(db(), address)) === null) {
            return await retryUnknown(address, viewer, deps);
          }
          const issue = await seenIssue(deps, viewer, address);
          if (verb === "resume") requireState(issue, ["paused", "closed", "failed"], "there is nothing to resume");
          await acts.control(address, verb, viewer);
          return await stateOf(issue, deps);
        }),
    );
  }
  return routes;
}

const CONTROL_WORDS = {
  pause: "Pauses the issue until somebody resumes it, as `relay pause` does.",
  resume: "Goes on with a paused, failed or closed issue, as `relay resume` does.",
  retry: "Tries again what failed, dead letters too, as `relay retry` does.",
};

/** As `relay pause --json` prints it. */
export async function stateOf({ id: issueId, ...issue }: Issue, { db }: ApiDeps): Promise<z.infer<typeof actSchema>> {
  const state = (await findIssueById(db(), issueId))?.state ?? "closed";
  return { id: issueId, issue: issueName(issue), state };
}

/** Retries dead letters of an issue that Relay is not engaged in: one may be the call for it. */
async function retryUnknown(
  address: IssueAddress,
  viewer: Viewer,
  { db, acts }: ApiDeps,
): Promise<z.infer<typeof actSchema>> {
  if ((await listDeadLetters(db(), { issue: address })).length === 0) {
    throw new RelayError("not_found", `Relay has not taken up ${issueName(address)}, and nothing of it failed`);
  }
  await acts.retryLetters(address, viewer);
  return { id: null, issue: issueName(address), state: null };
}

function requireState(issue: Issue, states: readonly IssueState[], why: string): void {
  if (states.includes(issue.state)) return;
  throw new RelayError("conflict", `${issueName(issue)} is ${issue.state.replaceAll("_", " ")}: ${why}`);
}
