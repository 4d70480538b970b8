import { z } from "zod";
import { ISSUE_STATES } from "../../../domain/lifecycle.ts";
import { isAmong } from "../../../domain/login.ts";
import type { Sight } from "../../../domain/sight.ts";
import { STANDS } from "../../../domain/standing.ts";
import { RelayError } from "../../../lib/errors.ts";
import type { Db } from "../../../storage/db.ts";
import { type ListedIssue, listIssuesById, listPage } from "../../../storage/issue-lists.ts";
import { overviewsOf } from "../../../storage/issue-overview.ts";
import type { McpContext } from "../context.ts";
import { sightOn } from "../issue-at-hand.ts";
import { NOTICE, notice } from "../quote.ts";
import { type Tool, tool } from "../tool.ts";
import { type Brief, briefOf, briefSchema } from "./shapes.ts";

/** Issues that are looked through for one answer. */
const MOST_SCANNED = 1_000;
const PAGE = 100;

const input = z.strictObject({
  state: z
    .enum(["open", "all", ...ISSUE_STATES])
    .default("open")
    .describe("`open`: neither done nor closed."),
  repository: z
    .string()
    .max(200)
    .optional()
    .describe("Such as acme/shop; `all` for all. Left out: the repository of the current folder, else all."),
  waiting_for: z
    .string()
    .max(100)
    .optional()
    .describe(`A login, \`me\`, or what it waits for: ${STANDS.join(", ")}.`),
  query: z.string().max(200).default("").describe("Words of the title, or the number."),
  cursor: z.string().max(200).optional().describe("`next_cursor` of the answer before."),
  limit: z.int().min(1).max(50).default(20),
});

const output = z.object({
  issues: z.array(briefSchema),
  next_cursor: z.string().nullable().describe("Null: these were the last."),
  notice,
});

export const listIssues: Tool = tool({
  name: "list_issues",
  title: "List issues",
  description:
    "Issues that Relay works on, the last changed first: where each stands, for whom it waits, how many questions are open, whether there is a spec and a plan.",
  effect: "reads",
  input,
  output,
  run: async (args, context) => {
    const db = await context.db();
    const sight = await sightOn(args.repository, context);
    const { issues, next } = await found(db, sight, args, context);
    const lines = issues.map(lineOf).join("\n");
    const text = issues.length === 0 ? "No issue fits." : context.quote.text("issues", lines, 20_000);
    const more = next === null ? "" : `\nMore: call again with cursor ${next}`;
    return { text: `${text}${more}`, data: { issues, next_cursor: next, notice: NOTICE } };
  },
});

async function found(db: Db, sight: Sight, args: z.output<typeof input>, context: McpContext) {
  const states = args.state === "open" || args.state === "all" ? args.state : [args.state];
  const issues: Brief[] = [];
  let before = args.cursor === undefined ? null : placeIn(args.cursor);
  for (let scanned = 0; scanned < MOST_SCANNED; scanned += PAGE) {
    const page = await listPage(db, { sight, states, query: args.query.trim(), before, most: PAGE });
    const ids = page.map(({ id }) => id);
    const overviewOf = await overviewsOf(db, ids);
    const byId = new Map((await listIssuesById(db, ids)).map((issue) => [issue.id, issue]));
    for (const listed of page) {
      const issue = byId.get(listed.id);
      const brief = issue && briefOf(issue, overviewOf(issue.id), context);
      if (brief !== undefined && waitsFor(brief, args.waiting_for, context)) {
        if (issues.length === args.limit) return { issues, next: before && cursorAt(before) };
        issues.push(brief);
      }
      before = listed;
    }
    if (page.length < PAGE) return { issues, next: null };
  }
  return { issues, next: before && cursorAt(before) };
}

function waitsFor({ waiting_for: now }: Brief, wanted: string | undefined, { viewer }: McpContext): boolean {
  if (wanted === undefined || wanted === now.what) return true;
  return isAmong(wanted === "me" ? viewer.login : wanted.replace(/^@/, ""), now.people);
}

function lineOf({ issue, title, state, waiting_for: waiting, open_gaps: gaps, spec_version: spec, plan }: Brief) {
  const people = waiting.people.map((login) => `@${login}`).join(", ");
  const whom = [people, waiting.anyone_with === null ? "" : `anyone with ${waiting.anyone_with}`]
    .filter((each) => each !== "")
    .join(" or ");
  const parts = [
    state,
    `waits for ${waiting.what}${whom === "" ? "" : ` (${whom})`}`,
    ...(gaps === 0 ? [] : [`${gaps} open question(s)`]),
    ...(spec === null ? [] : [`spec ${spec}`]),
    ...(plan === null ? [] : [`plan ${plan.version} ${plan.status}, branch ${plan.branch}`]),
  ];
  return `${issue}  ${title}\n    ${parts.join("; ")}`;
}

type Place = Pick<ListedIssue, "updatedAt" | "id">;

function cursorAt({ updatedAt, id }: Place): string {
  return Buffer.from(`${updatedAt.toISOString()} ${id}`).toString("base64url");
}

function placeIn(cursor: string): Place {
  const [time = "", id = ""] = Buffer.from(cursor, "base64url").toString("utf8").split(" ");
  const updatedAt = new Date(time);
  if (!Number.isNaN(updatedAt.getTime()) && /^\d{1,19}$/.test(id)) return { updatedAt, id };
  throw new RelayError("usage", "cursor is none of list_issues; give `next_cursor` of the answer before, or none");
}
