import { Hono } from "hono";
import { z } from "zod";
import type { Viewer } from "../../../app/people/viewer.ts";
import type { Issue } from "../../../domain/issue.ts";
import { ISSUE_STATES, type IssueState } from "../../../domain/lifecycle.ts";
import { sameLogin } from "../../../domain/login.ts";
import type { Standing } from "../../../domain/standing.ts";
import { RelayError } from "../../../lib/errors.ts";
import { listIssuesById } from "../../../storage/issue-lists.ts";
import { type IssueOverview, overviewsOf } from "../../../storage/issue-overview.ts";
import { type IssuePlace, issuesInWindow } from "../../../storage/pages.ts";
import { findRepositoriesNamed } from "../../../storage/repositories.ts";
import type { PageEnv } from "../../login.ts";
import type { ApiDeps } from "../deps.ts";
import { given, told } from "../describe.ts";
import { type ShownIssue, issueSchema, shownIssue, standingIn } from "../shapes/issue.ts";
import { anyText, isRowId, limit, next, plainText } from "../texts.ts";

const OPEN_STATES: readonly IssueState[] = ISSUE_STATES.filter((state) => state !== "done" && state !== "closed");
const ONE_STATE = `(?:${ISSUE_STATES.join("|")})`;

const listQuery = z.strictObject({
  state: z
    .string()
    .regex(new RegExp(`^(?:open|all|${ONE_STATE}(?:,${ONE_STATE})*)$`), "it must be open, all, or states with commas")
    .default("all")
    .meta({ description: "`open`, `all`, or states with commas between them.", example: "clarifying,stuck" }),
  repository: plainText(500).optional().meta({ description: "As the tracker names it.", example: "acme/shop" }),
  q: plainText(200).optional().meta({ description: "Part of the title or repository, or the number." }),
  waiting_for: anyText(100)
    .regex(/^(?:me|anyone|relay|@.+)$/, "it must be me, anyone, relay, or @ and a login")
    .optional()
    .meta({
      description:
        "`@login`: whom they name; `anyone`: who has a permission; `me`: both; `relay`: nobody but Relay itself.",
      example: "@ann",
    }),
  limit: limit(50, 100),
  before: z
    .string()
    .regex(/^[\w-]{1,200}$/, "it must be a cursor, as `next` of an answer")
    .optional()
    .meta({ description: "The cursor: `next` of the page before." }),
});

export const issuesSchema = z.object({ issues: z.array(issueSchema), next }).meta({ id: "Issues" });

/** Rows that are read for one page, however many issues there are (R-SCALE-1). */
const LOOKED_AT = 1_000;
const LOOKED_AT_FOR_WHOM = 200;

/** `GET /issues`. */
export function issueListRoutes(deps: ApiDeps): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();
  routes.get(
    "/issues",
    told({
      id: "listIssues",
      tag: "issues",
      summary: "Issues, the last changed first.",
      description: "A page of a filtered list may have fewer entries than `limit`, or none, and still a `next`.",
      answer: issuesSchema,
      refusals: [404],
    }),
    given("query", listQuery),
    async (c) => c.json(await pageOf(c.req.valid("query"), c.get("viewer"), deps)),
  );
  return routes;
}

async function pageOf(
  query: z.infer<typeof listQuery>,
  viewer: Viewer,
  deps: ApiDeps,
): Promise<z.infer<typeof issuesSchema>> {
  const db = deps.db();
  const states = statesIn(query.state);
  const { waiting_for: whom, limit: most } = query;
  const isFiltered = query.q !== undefined || (states !== null && query.state !== "open");
  const window = whom !== undefined ? LOOKED_AT_FOR_WHOM : isFiltered ? LOOKED_AT : most + 1;
  const rows = await issuesInWindow(db, {
    sight: viewer,
    repositories: await repositoriesIn(query.repository, viewer, deps),
    openOnly: whom !== undefined || (states?.every((state) => OPEN_STATES.includes(state)) ?? false),
    states: query.state === "open" ? null : states,
    query: query.q ?? "",
    before: query.before === undefined ? null : placeIn(query.before),
    window,
  });
  const matching = rows.filter(({ matches }) => matches);
  const overviewOf = await overviewsOf(
    db,
    (whom === undefined ? matching.slice(0, most) : matching).map(({ id }) => id),
  );
  const issues = new Map(
    (
      await listIssuesById(
        db,
        matching.map(({ id }) => id),
      )
    ).map((issue) => [issue.id, issue] as const),
  );
  const wanted = matching.filter(({ id }) => {
    const issue = issues.get(id);
    if (issue === undefined || whom === undefined) return issue !== undefined;
    return waitsFor(whom, viewer, standingIn(issue, overviewOf(id), deps.bot));
  });
  const taken = wanted.slice(0, most);
  const last = wanted.length > most ? taken.at(-1) : rows.length === window ? rows.at(-1) : undefined;
  const found = taken.flatMap(({ id }) => issues.get(id) ?? []);
  return { issues: await shownIssues(found, overviewOf, deps), next: last === undefined ? null : cursorOf(last) };
}

async function shownIssues(
  issues: readonly Issue[],
  overviewOf: (id: string) => IssueOverview,
  { relay, bot }: Pick<ApiDeps, "relay" | "bot">,
): Promise<ShownIssue[]> {
  const { specStore: places } = await relay();
  return await Promise.all(issues.map(async (issue) => await shownIssue(issue, overviewOf(issue.id), { places, bot })));
}

function statesIn(text: string): readonly IssueState[] | null {
  if (text === "all") return null;
  if (text === "open") return OPEN_STATES;
  const named = new Set(text.split(","));
  return ISSUE_STATES.filter((state) => named.has(state));
}

async function repositoriesIn(
  name: string | undefined,
  { repositories }: Viewer,
  { db }: ApiDeps,
): Promise<readonly string[] | null> {
  if (name === undefined) return null;
  const found = (await findRepositoriesNamed(db(), name)).map(({ id }) => id);
  const seen = found.filter((id) => repositories === null || repositories.includes(id));
  if (seen.length > 0) return seen;
  throw new RelayError("not_found", `no repository “${name}” is known here; name it as the tracker does: acme/shop`);
}

function waitsFor(whom: string, viewer: Viewer, { people, anyone }: Standing): boolean {
  switch (whom) {
    case "me":
      return anyone !== null || people.some((name) => sameLogin(name, viewer.login));
    case "anyone":
      return anyone !== null;
    case "relay":
      return anyone === null && people.length === 0;
    default:
      return people.some((name) => sameLogin(name, whom.slice(1)));
  }
}

function cursorOf({ at, id }: IssuePlace): string {
  return Buffer.from(`${at} ${id}`).toString("base64url");
}

const PLACE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z) (\d{1,19})$/;

function placeIn(cursor: string): IssuePlace {
  const [, at, id] = PLACE.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  if (at !== undefined && id !== undefined && isRowId(id) && !Number.isNaN(Date.parse(at))) return { at, id };
  throw new RelayError("usage", "`before` is no cursor of this list; send `next` of the page before");
}
