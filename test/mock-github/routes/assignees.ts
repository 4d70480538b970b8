import { z } from "zod";
import { assign, unassign } from "../effects/issues.ts";
import { type Routes, bodyOf, param } from "../http/call.ts";
import { empty, notFound, ok } from "../http/answer.ts";
import { doerOf } from "../http/doer.ts";
import { pageOf } from "../http/paging.ts";
import { itemOf, READ, repositoryOf, write } from "../http/rights.ts";
import { showUser } from "../present/account.ts";
import { showIssue } from "../present/issue.ts";
import { assignable } from "./issues.ts";

const Body = z.object({ assignees: z.array(z.string()).default([]) });
const TRIAGE = write("triage", "issues", "pull_requests");

export const assigneeRoutes: Routes = {
  "issues/add-assignees": (call) => {
    const repository = repositoryOf(call, TRIAGE);
    const place = { world: call.world, repository, item: itemOf(call, repository) };
    const { assignees } = bodyOf(call, Body);
    for (const login of assignable(call, repository, assignees)) assign(place, doerOf(call), login);
    return { status: 201, body: showIssue(call.world, repository, place.item) };
  },

  "issues/remove-assignees": (call) => {
    const repository = repositoryOf(call, TRIAGE);
    const place = { world: call.world, repository, item: itemOf(call, repository) };
    for (const login of bodyOf(call, Body).assignees) unassign(place, doerOf(call), login);
    return ok(showIssue(call.world, repository, place.item));
  },

  "issues/list-assignees": (call) => {
    const repository = repositoryOf(call, READ);
    const logins = [...new Set([repository.owner, ...repository.collaborators.keys()])];
    const people = logins.filter((login) => call.world.account(login).type !== "Organization");
    return pageOf(call, people, (login) => showUser(call.world, login));
  },

  "issues/check-user-can-be-assigned": (call) => {
    const repository = repositoryOf(call, READ);
    if (!call.world.isCollaborator(repository, param(call, "assignee"))) throw notFound();
    return empty;
  },
};
