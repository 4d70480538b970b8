import { z } from "zod";
import { conflict, forbidden } from "../answer.ts";
import { edit, makeLabels, type Edit } from "../changes.ts";
import { keyset, page } from "../paging.ts";
import { PAGES, get, issueOf, need, projectOf, write, type Call, type Route } from "../route.ts";
import { issueShape, labelShape } from "../shapes/issue.ts";
import { type Issue, type Project, asRead, levelOf } from "../state.ts";

const FILTERS = ["state", "scope", "updated_after", "updated_before", "created_after", "assignee_username", "labels"];
const ORDER = ["order_by", "sort", "pagination", "cursor", ...PAGES];

function chosen(call: Call, project: Project): Issue[] {
  const { query, user } = call;
  const after = query.get("updated_after");
  const before = query.get("updated_before");
  const state = query.get("state") ?? "all";
  const names = [...query.getAll("assignee_username"), ...query.getAll("assignee_username[]")].map((name) =>
    name.toLowerCase(),
  );
  const { state: there } = call.world;
  const changed = (issue: Issue) => asRead(there, issue, "count").updatedAt;
  return project.issues.filter(
    (issue) =>
      !there.lags.hides(issue, issue.iid) &&
      (state === "all" || issue.state === state) &&
      (after === null || changed(issue) >= new Date(after)) &&
      (before === null || changed(issue) <= new Date(before)) &&
      (!issue.confidential || levelOf(project, user) >= 15) &&
      (query.get("scope") !== "assigned_to_me" || issue.assignees.includes(user)) &&
      names.every((name) => issue.assignees.some((one) => one.username.toLowerCase() === name)),
  );
}

function ordered(call: Call, issues: Issue[]): Issue[] {
  const by = call.query.get("order_by") === "updated_at" ? "updatedAt" : "createdAt";
  const ascending = issues.toSorted((one, other) => one[by].getTime() - other[by].getTime() || one.id - other.id);
  return call.query.get("sort") === "asc" ? ascending : ascending.toReversed();
}

function listed(call: Call, projects: Project[]) {
  const issues = projects.flatMap((project) => chosen(call, project));
  const shape = (issue: Issue) => {
    const project = projects.find((one) => one.issues.includes(issue));
    return project ? issueShape(asRead(call.world.state, issue, "count"), project, call.world.origin) : null;
  };
  return call.query.get("pagination") === "keyset"
    ? keyset(call, issues, shape)
    : page(call, ordered(call, issues), shape);
}

/** GitLab takes a text with commas as well, which its description does not say; commas part names in either. */
const names = z
  .array(z.string())
  .transform((given) => given.flatMap((text) => text.split(",")).flatMap((name) => name.trim() || []));

const changes = {
  title: z.string().min(1).optional(),
  description: z.string().optional(),
  state_event: z.enum(["close", "reopen"]).optional(),
  labels: names.optional(),
  add_labels: names.optional(),
  remove_labels: names.optional(),
  assignee_ids: z.array(z.coerce.number()).optional(),
  confidential: z.boolean().optional(),
  discussion_locked: z.boolean().optional(),
};

/** Issues and the labels of their project. */
export const issues: Route[] = [
  get("/issues", [...FILTERS, ...ORDER], (call) =>
    listed(
      call,
      call.world.state.projects.filter((one) => one.visibility === "public" || levelOf(one, call.user) >= 10),
    ),
  ),
  get("/projects/{id}/issues", [...FILTERS, ...ORDER], (call) => listed(call, [projectOf(call)])),
  get("/projects/{id}/issues/{issue_iid}", [], (call) => {
    const { project, noteable } = issueOf(call);
    return { status: 200, json: issueShape(asRead(call.world.state, noteable, "count"), project, call.world.origin) };
  }),
  write("PUT", "/projects/{id}/issues/{issue_iid}", changes, (call, body) => {
    const { project, noteable } = issueOf(call);
    if (levelOf(project, call.user) < 15 && noteable.author !== call.user) throw forbidden();
    const labels = [...(body.labels ?? noteable.labels), ...(body.add_labels ?? [])].filter(
      (name) => body.remove_labels?.includes(name) !== true,
    );
    const change: Edit = {
      title: body.title,
      confidential: body.confidential,
      description: body.description,
      // Who may not label is not refused: the labels are passed over.
      labels: levelOf(project, call.user) < 15 ? undefined : [...new Set(labels)],
      state: body.state_event === undefined ? undefined : body.state_event === "close" ? "closed" : "opened",
      assignees: body.assignee_ids && call.world.state.users.filter((user) => body.assignee_ids?.includes(user.id)),
    };
    edit(call.world, { project, noteable }, call.user, change);
    return { status: 200, json: issueShape(noteable, project, call.world.origin) };
  }),
  get("/projects/{id}/labels", ["with_counts", "search", "include_ancestor_groups", ...PAGES], (call) =>
    page(call, projectOf(call).labels, labelShape),
  ),
  write(
    "POST",
    "/projects/{id}/labels",
    { name: z.string().min(1), color: z.string(), description: z.string().optional() },
    (call, body) => {
      const project = projectOf(call);
      need(call, project, 15);
      if (project.labels.some((label) => label.name === body.name)) throw conflict(["Label already exists"]);
      makeLabels(call.world.state, project, [body.name]);
      const made = project.labels.find((label) => label.name === body.name);
      return { status: 201, json: made ? labelShape(made) : null };
    },
  ),
];
