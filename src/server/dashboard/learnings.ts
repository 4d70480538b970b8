import { html } from "hono/html";
import { type Context, Hono } from "hono";
import { type KeptLearning, LONGEST_LEARNING } from "../../domain/learning.ts";
import { decideLearning } from "../../app/people/learning-decisions.ts";
import { type Viewer, isOperator } from "../../app/people/viewer.ts";
import { RelayError } from "../../lib/errors.ts";
import { type LearningChange, listKept } from "../../storage/learnings.ts";
import type { PageEnv } from "../login.ts";
import { shown } from "./answer.ts";
import { type Markup, ago } from "./document.ts";

/** What people taught Relay: what waits to be put in force first. */
function learningsPage(learnings: readonly KeptLearning[], viewer: Viewer, now: Date): Markup {
  const proposed = learnings.filter(({ status }) => status === "proposed");
  const approved = learnings.filter(({ status }) => status === "approved");
  return html`<h1>Learnings</h1>
    <h2>Proposed <span class="count">${proposed.length}</span></h2>
    ${
      proposed.length === 0
        ? html`<p class="empty">Nothing waits: Relay proposes what people with write access state in a thread.</p>`
        : proposed.map((one) => learningOf(one, viewer, now))
    }
    <h2>In force <span class="count">${approved.length}</span></h2>
    ${
      approved.length === 0
        ? html`<p class="empty">None yet: prompts hold only what a person approved.</p>`
        : approved.map((one) => learningOf(one, viewer, now))
    }`;
}

function learningOf(learning: KeptLearning, viewer: Viewer, now: Date): Markup {
  const { id, content, status, repository, proposedBy, approvedBy, createdAt } = learning;
  const about = html`${repository ?? "all repositories"}${proposedBy === null ? "" : `, from @${proposedBy}`}${
    approvedBy === null ? "" : `, approved by @${approvedBy}`
  },
  ${ago(createdAt, now)}`;
  if (!mayDecide(learning, viewer)) {
    return html`<div class="write learning" data-item>
      <p class="hint">${about}</p>
      <p class="whole">${content}</p>
    </div>`;
  }
  return html`<form class="write learning" method="post" action="/learnings/${id}" data-item>
    <label for="learning-${id}">${about}</label>
    <textarea id="learning-${id}" name="content" rows="2" required maxlength="${LONGEST_LEARNING}">${content}</textarea>
    <p class="buttons">
      ${status === "proposed" ? html`<button name="do" value="approve">Approve</button>` : ""}
      ${repository === null || !isOperator(viewer) ? "" : html`<button class="quiet" name="do" value="everywhere">Approve everywhere</button>`}
      <button class="quiet" name="do" value="edit">Save the text</button>
      <button class="quiet" name="do" value="remove">Remove</button>
    </p>
  </form>`;
}

/** Whether the page offers a decision; permission is checked again when it is made (R-SAFE-8). */
function mayDecide({ repositoryId }: KeptLearning, viewer: Viewer): boolean {
  return isOperator(viewer) || (repositoryId !== null && (viewer.writes ?? []).includes(repositoryId));
}

/** `/learnings`; and `POST /learnings/ID`: a person's decision, recorded in the audit log under that person's name. */
export function learningRoutes(deps: Parameters<typeof decideLearning>[3]): Hono<PageEnv> {
  const routes = new Hono<PageEnv>();
  routes.get("/learnings", async (c) => {
    const viewer = c.get("viewer");
    const learnings = await listKept(deps.db(), { repository: null, status: null, sight: viewer });
    const main = learningsPage(learnings, viewer, deps.clock.now());
    return await shown(c, { title: "Learnings", at: "/learnings" }, main);
  });
  routes.post("/learnings/:id{[0-9]{1,18}}", async (c) => {
    await decideLearning(c.req.param("id"), await changeIn(c), c.get("viewer"), deps);
    return c.redirect("/learnings", 303);
  });
  return routes;
}

async function changeIn(c: Context<PageEnv>): Promise<LearningChange> {
  const form = await c.req.parseBody();
  switch (form["do"]) {
    case "approve":
    case "everywhere":
      return { kind: "approve", everywhere: form["do"] === "everywhere" };
    case "remove":
      return { kind: "remove" };
    default: {
      const content = typeof form["content"] === "string" ? form["content"].trim() : "";
      if (content !== "" && content.length <= LONGEST_LEARNING) return { kind: "edit", content };
      throw new RelayError("invalid", `a learning has 1 to ${LONGEST_LEARNING} characters, not ${content.length}`);
    }
  }
}
