import { z } from "zod";
import { addLabel, createLabel, findLabel, removeLabel } from "../effects/issues.ts";
import { type Answer, created, invalid, notFound, ok, refuse } from "../http/answer.ts";
import { type Call, type Routes, bodyOf, param } from "../http/call.ts";
import { doerOf } from "../http/doer.ts";
import { pageOf } from "../http/paging.ts";
import { itemOf, repositoryOf, write } from "../http/rights.ts";
import { showLabel, showLabels } from "../present/issue.ts";
import { READ_ITEMS } from "./issues.ts";

const Named = z.union([z.string(), z.object({ name: z.string() }).transform((label) => label.name)]);
const Wanted = z.union([z.array(Named), z.object({ labels: z.array(Named) }).transform((body) => body.labels)]);
const NewLabel = z.object({
  name: z.string(),
  color: z
    .string()
    .regex(/^[0-9a-f]{6}$/i)
    .optional(),
  description: z.string().max(100).nullish(),
});
const TRIAGE = write("triage", "issues", "pull_requests");
const WRITE = write("write", "issues", "pull_requests");

function placeOf(call: Call) {
  const repository = repositoryOf(call, TRIAGE);
  return { world: call.world, repository, item: itemOf(call, repository) };
}

function change(call: Call, replace: boolean): Answer {
  const place = placeOf(call);
  const by = doerOf(call);
  const wanted = bodyOf(call, Wanted);
  for (const name of wanted) {
    if (name.trim() === "") throw invalid({ resource: "Label", code: "missing_field", field: "name" });
    if (name.length > 50) throw invalid({ resource: "Label", code: "invalid", field: "name" });
  }
  const kept = new Set(wanted.map((name) => name.toLowerCase()));
  const old = replace ? place.item.labels.filter((name) => !kept.has(name.toLowerCase())) : [];
  for (const name of old) removeLabel(place, by, name);
  for (const name of wanted) addLabel(place, by, name);
  return ok(showLabels(call.world, place.repository, place.item));
}

export const labelRoutes: Routes = {
  "issues/add-labels": (call) => change(call, false),
  "issues/set-labels": (call) => change(call, true),

  "issues/remove-label": (call) => {
    const place = placeOf(call);
    if (!removeLabel(place, doerOf(call), param(call, "name"))) throw refuse(404, "Label does not exist");
    return ok(showLabels(call.world, place.repository, place.item));
  },

  "issues/list-labels-on-issue": (call) => {
    const repository = repositoryOf(call, READ_ITEMS);
    return pageOf(call, showLabels(call.world, repository, itemOf(call, repository)), (label) => label);
  },

  "issues/list-labels-for-repo": (call) => {
    const repository = repositoryOf(call, READ_ITEMS);
    return pageOf(call, repository.labels, (label) => showLabel(call.world, repository, label));
  },

  "issues/get-label": (call) => {
    const repository = repositoryOf(call, READ_ITEMS);
    const label = findLabel(repository, param(call, "name"));
    if (label === undefined) throw notFound();
    return ok(showLabel(call.world, repository, label));
  },

  "issues/create-label": (call) => {
    const repository = repositoryOf(call, WRITE);
    const wanted = bodyOf(call, NewLabel);
    if (wanted.name.trim() === "") throw invalid({ resource: "Label", code: "missing_field", field: "name" });
    if (wanted.name.length > 50) throw invalid({ resource: "Label", code: "invalid", field: "name" });
    if (findLabel(repository, wanted.name)) {
      throw invalid({ resource: "Label", code: "already_exists", field: "name" });
    }
    const shown = showLabel(call.world, repository, createLabel(call.world, repository, doerOf(call), wanted));
    return created(shown, shown.url);
  },
};
