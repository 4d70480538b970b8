import { z } from "zod";
import { unprocessable } from "../answer.ts";
import { edit, refuseSecond } from "../changes.ts";
import { page } from "../paging.ts";
import { mergeRequestPayload } from "../payloads.ts";
import { takeCommands } from "../quick-actions.ts";
import { PAGES, get, mergeRequestOf, need, projectOf, write, type Call, type Route } from "../route.ts";
import { mergeRequestShape } from "../shapes/merge-request.ts";
import { type MergeRequest, type Project, type User, levelOf } from "../state.ts";

/** Who cannot read the project is passed over in silence. */
function readers(call: Call, project: Project, ids: readonly number[]): User[] {
  return ids.flatMap(
    (id) => call.world.state.users.find((user) => user.id === id && levelOf(project, user) >= 10) ?? [],
  );
}

const ids = z.array(z.coerce.number()).optional();

export const mergeRequests: Route[] = [
  get(
    "/projects/{id}/merge_requests",
    ["state", "source_branch", "target_branch", "order_by", "sort", "scope", "iids", "updated_after", ...PAGES],
    (call) => {
      const project = projectOf(call);
      const { query } = call;
      const state = query.get("state") ?? "all";
      const found = project.mergeRequests.filter(
        (one) =>
          (state === "all" || one.state === state) &&
          [null, one.sourceBranch].includes(query.get("source_branch")) &&
          [null, one.targetBranch].includes(query.get("target_branch")),
      );
      return page(call, query.get("sort") === "asc" ? found : found.toReversed(), (one) =>
        mergeRequestShape(one, project, call.world.origin),
      );
    },
  ),
  get("/merge_requests", ["state", "order_by", "sort", "scope", "updated_after", ...PAGES], (call) => {
    const after = Date.parse(call.query.get("updated_after") ?? "1970-01-01");
    const own = call.world.state.projects.flatMap((project) =>
      project.mergeRequests.flatMap((one) =>
        one.author === call.user && one.updatedAt.getTime() >= after ? [{ project, one }] : [],
      ),
    );
    const inOrder = own.toSorted((a, b) => a.one.updatedAt.getTime() - b.one.updatedAt.getTime());
    return page(call, inOrder, ({ project, one }) => mergeRequestShape(one, project, call.world.origin));
  }),
  get("/projects/{id}/merge_requests/{merge_request_iid}", [], (call) => {
    const { project, noteable } = mergeRequestOf(call);
    return { status: 200, json: mergeRequestShape(noteable, project, call.world.origin) };
  }),
  write(
    "POST",
    "/projects/{id}/merge_requests",
    {
      title: z.string().min(1),
      source_branch: z.string(),
      target_branch: z.string(),
      description: z.string().optional(),
      reviewer_ids: ids,
      assignee_ids: ids,
      labels: z.array(z.string()).optional(),
      remove_source_branch: z.boolean().optional(),
      squash: z.boolean().optional(),
      allow_collaboration: z.boolean().optional(),
    },
    (call, body) => {
      const project = projectOf(call);
      need(call, project, 30);
      if (body.source_branch === body.target_branch) {
        throw unprocessable(["You can't use same project/branch for source and target"]);
      }
      const now = call.world.state.now();
      const request: MergeRequest = {
        kind: "MergeRequest",
        conflicts: false,
        id: call.world.state.nextId(),
        iid: project.mergeRequests.length + 1,
        title: body.title,
        description: takeCommands(body.description ?? "").text,
        author: call.user,
        state: "opened",
        assignees: readers(call, project, body.assignee_ids ?? []),
        reviewers: readers(call, project, body.reviewer_ids ?? []),
        labels: [],
        notes: [],
        awards: [],
        locked: false,
        createdAt: now,
        updatedAt: now,
        closedAt: null,
        sourceProjectId: project.id,
        sourceBranch: body.source_branch,
        targetBranch: body.target_branch,
      };
      refuseSecond(project, request);
      project.mergeRequests.push(request);
      const payload = mergeRequestPayload(call.world, project, request, { actor: call.user, action: "open" });
      call.world.announce(project, "mergeRequests", () => payload);
      return { status: 201, json: mergeRequestShape(request, project, call.world.origin) };
    },
  ),
  write(
    "PUT",
    "/projects/{id}/merge_requests/{merge_request_iid}",
    {
      title: z.string().min(1).optional(),
      description: z.string().optional(),
      state_event: z.enum(["close", "reopen"]).optional(),
      target_branch: z.string().optional(),
      reviewer_ids: ids,
      assignee_ids: ids,
      add_labels: z.array(z.string()).optional(),
      remove_labels: z.array(z.string()).optional(),
    },
    (call, body) => {
      const place = mergeRequestOf(call);
      need(call, place.project, 30);
      const { title, description, state_event: event, reviewer_ids: reviewers } = body;
      const labels = [...place.noteable.labels, ...(body.add_labels ?? [])].filter(
        (name) => body.remove_labels?.includes(name) !== true,
      );
      edit(call.world, place, call.user, {
        title,
        description,
        labels: body.add_labels || body.remove_labels ? [...new Set(labels)] : undefined,
        reviewers: reviewers && readers(call, place.project, reviewers),
        state: event === undefined ? undefined : event === "close" ? "closed" : "opened",
      });
      return { status: 200, json: mergeRequestShape(place.noteable, place.project, call.world.origin) };
    },
  ),
];
