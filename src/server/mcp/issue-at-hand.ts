import { isOperator, maySee } from "../../app/people/viewer.ts";
import { type Issue, issueName } from "../../domain/issue.ts";
import type { IssueState } from "../../domain/lifecycle.ts";
import type { Sight } from "../../domain/sight.ts";
import { RelayError } from "../../lib/errors.ts";
import { alsoSecret } from "../../lib/own-secrets.ts";
import type { Db } from "../../storage/db.ts";
import { findNamed, listIssuesById, listPage } from "../../storage/issue-lists.ts";
import { latestPlan } from "../../storage/plans.ts";
import { type StoredRepository, findRepositoriesNamed } from "../../storage/repositories.ts";
import { issueAt } from "../dashboard/paths.ts";
import type { McpContext } from "./context.ts";

/** Issues that are named when words could mean many. */
const MOST_NAMES = 5;
/** Issues of one number that are looked through. */
const MOST_ALIKE = 50;

/**
 * The issue that a client means: by number, `owner/name#7`, URL or id; without words the one whose branch is checked
 * out, or else the only open one, or if none is open the only one that is done. Throws `not_found`, or `usage` with the
 * candidates.
 */
export async function issueAtHand(wanted: string | number | undefined, context: McpContext): Promise<Issue> {
  const words = String(wanted ?? "").trim();
  if (words.includes("\0")) throw new RelayError("usage", "the name of the issue holds a NUL character; leave it out");
  const issue = words === "" ? await unnamed(context) : await named(words, context);
  alsoSecret((await context.secretsOf?.(issue)) ?? []);
  return issue;
}

async function named(words: string, context: McpContext): Promise<Issue> {
  const db = await context.db();
  const path = issueAt(words.replace(/^spec:\/\//, ""));
  const name = path === null || words.includes("#") ? words.replace(/^(?:spec:\/\/|#)/, "") : issueName(path);
  const found = await seenHere(await findNamed(db, name, MOST_ALIKE), context);
  return only(found, {
    none: `Relay knows no issue “${context.quote.line(words, 100)}”; list_issues shows those that it knows`,
    several: `“${context.quote.line(words, 100)}” could be several issues`,
  });
}

async function unnamed(context: McpContext): Promise<Issue> {
  const db = await context.db();
  const branch = (await context.folder?.branch()) ?? null;
  const number = branch === null ? undefined : /^[^/]+\/(\d{1,15})-/.exec(branch)?.[1];
  const numbered = number === undefined ? [] : await findNamed(db, number, MOST_ALIKE);
  const ofBranch = (await seenHere(numbered, context)).filter(({ externalIssueId }) => externalIssueId === number);
  if (ofBranch.length === 1 && ofBranch[0] !== undefined) return ofBranch[0];
  for (const issue of ofBranch) {
    if ((await latestPlan(db, issue.id))?.plan.branch_name === branch) return issue;
  }
  const open = await newest("open", context);
  return only(open.length > 0 ? open : await newest(["done"], context), {
    none: "Relay knows no open issue here; name one with `issue`, such as acme/shop#12",
    several: "several issues could be meant, and the branch that is checked out belongs to none of them",
  });
}

/** The last changed ones of the folder at hand, one more than are named. */
async function newest(states: "open" | readonly IssueState[], context: McpContext): Promise<Issue[]> {
  const db = await context.db();
  const sight = await sightAtHand(context);
  const listed = await listPage(db, { sight, states, query: "", before: null, most: MOST_NAMES + 1 });
  const ids = listed.map(({ id }) => id);
  return (await listIssuesById(db, ids)).toSorted((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id));
}

/** Those that the viewer may see; where some are of the folder at hand, those. */
async function seenHere(issues: readonly Issue[], context: McpContext): Promise<Issue[]> {
  const seen = issues.filter((issue) => maySee(context.viewer, issue));
  const ids = seen.length > 1 ? await hereIn(context) : [];
  const here = seen.filter(({ repositoryId }) => ids.includes(repositoryId));
  return here.length > 0 ? here : seen;
}

function only(issues: readonly Issue[], say: { none: string; several: string }): Issue {
  const [first, ...others] = issues;
  if (first === undefined) throw new RelayError("not_found", say.none);
  if (others.length === 0) return first;
  const names = issues.slice(0, MOST_NAMES).map(issueName);
  const more = issues.length > MOST_NAMES ? ", or another" : "";
  throw new RelayError("usage", `${say.several}; name one with \`issue\`: ${names.join(", ")}${more}`);
}

/** Ids of the repositories of the folder at hand that Relay knows. */
async function hereIn(context: McpContext): Promise<string[]> {
  return (await context.folder?.repositories(await context.db())) ?? [];
}

/** What the viewer sees of the repositories of the folder at hand; of all, where Relay knows none of it. */
async function sightAtHand(context: McpContext): Promise<Sight> {
  const here = await hereIn(context);
  return here.length === 0 ? context.viewer : narrowed(context.viewer, here);
}

/** What the viewer sees of these repositories. */
function narrowed(sight: Sight, ids: readonly string[]): Sight {
  const within = (known: readonly string[] | null) => (known === null ? ids : ids.filter((id) => known.includes(id)));
  return { login: sight.login, repositories: within(sight.repositories), triages: within(sight.triages) };
}

/**
 * The repositories of a name that the viewer may see; without a name those of the folder at hand, and `all` or no
 * folder for all of them. Throws `not_found`.
 */
export async function sightOn(repository: string | undefined, context: McpContext): Promise<Sight> {
  if (repository === undefined) return await sightAtHand(context);
  if (repository === "all") return context.viewer;
  const found = await repositoriesNamed(repository, await context.db(), context);
  return narrowed(
    context.viewer,
    found.map(({ id }) => id),
  );
}

/** Those of a name that the viewer may see. Throws `not_found`. */
export async function repositoriesNamed(
  name: string,
  db: Db,
  { viewer, quote }: Pick<McpContext, "viewer" | "quote">,
): Promise<StoredRepository[]> {
  const found = (await findRepositoriesNamed(db, name)).filter(
    ({ id }) => isOperator(viewer) || viewer.repositories?.includes(id) === true,
  );
  if (found.length > 0) return found;
  throw new RelayError(
    "not_found",
    `Relay knows no repository “${quote.line(name, 100)}”; name it like its tracker does, such as acme/shop`,
  );
}
