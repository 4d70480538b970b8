import { html } from "hono/html";
import type { Gap } from "../../../domain/gap.ts";
import type { Finding } from "../../../domain/finding.ts";
import type { Issue } from "../../../domain/issue.ts";
import type { PostedPlan } from "../../../domain/plan.ts";
import type { StoredCall } from "../../../storage/model-calls.ts";
import { cut, oneLine, visible } from "../../../lib/text.ts";
import { type Markup, ago, dollars, excerpt, spanText } from "../document.ts";
import { markdown } from "../markdown.ts";
import { codeOf } from "./sources.ts";
import type { Scene } from "./story.ts";
import { sum } from "../words.ts";
import { type HiddenPlace, hiddenIn } from "../../../domain/text/hidden-places.ts";

/** The story, oldest first. `links` lead to what came before and after; null at the ends. */
export function storyPart(
  issue: Issue,
  scenes: readonly Scene[],
  links: { older: string | null; newer: string | null },
  now: Date,
): Markup {
  const { older, newer } = links;
  return html`<section class="story" aria-label="Story">
    ${
      older === null
        ? html`<article class="said reporter">
            <header><strong>@${issue.reporter}</strong> opened this ${ago(issue.openedAt, now)}</header>
            <div class="text">${markdown(excerpt(issue.body, { lines: 1_000, characters: 20_000 }))}</div>
            ${leftOut(issue.body)}
          </article>`
        : html`<p><a href="${older}">Older</a></p>`
    }
    ${scenes.map((scene) => sceneOf(scene, now))} ${newer === null ? "" : html`<p><a href="${newer}">Newer</a></p>`}
  </section>`;
}

function sceneOf(scene: Scene, now: Date): Markup {
  switch (scene.kind) {
    case "message": {
      const { message, made } = scene;
      return html`<article class="said ${message.role}" id="message-${message.seq}">
        <header>
          <strong>@${message.author}</strong> ${ago(scene.at, now)}
          ${made.map(({ text, why }) => html`<span class="chip">${text}${why === null ? "" : `: ${oneLine(why)}`}</span>`)}
        </header>
        <div class="text">${markdown(excerpt(message.content, { lines: 1_000, characters: 20_000 }))}</div>
        ${message.role === "self" ? "" : leftOut(message.content)}
      </article>`;
    }
    case "said":
      return html`<article class="said self">
        <header>
          <strong>Relay</strong> ${ago(scene.at, now)}
          ${scene.why === null ? "" : html`<span class="chip">${oneLine(scene.why)}</span>`}
        </header>
        <div class="text">${markdown(scene.text)}</div>
      </article>`;
    case "step":
      return html`<p class="step">
        ${scene.actor === "relay" ? "" : html`<strong>@${scene.actor}</strong>`} ${scene.text} ${ago(scene.at, now)}
      </p>`;
    case "folded":
      return html`<details class="between">
        <summary>${scene.summary}</summary>
        <ul>
          ${scene.lines.map(({ text }) => html`<li>${oneLine(text)}</li>`)}
        </ul>
      </details>`;
    default:
      return scene satisfies never;
  }
}

export function planPart(plan: PostedPlan | null): Markup {
  if (plan === null) return html`<p class="empty">No plan yet: it is made from the spec.</p>`;
  const { triage, plan: fix } = plan;
  return html`<section class="plan">
    <p class="facts">
      <span>Version ${plan.version}</span>
      <span>${plan.status}${plan.approval === null ? "" : ` by @${plan.approval.by}`}</span>
      <span>${triage.classification.toLowerCase()}</span>
      <span>${triage.risk.toLowerCase()} risk</span>
      <span>branch <code>${fix.branch_name}</code></span>
    </p>
    ${
      plan.commentBody === null
        ? html`<ol>
            ${fix.plan_steps.map(({ description }) => html`<li>${description}</li>`)}
          </ol>`
        : html`<div class="text document">${markdown(plan.commentBody)}</div>`
    }
    <h2>Files</h2>
    <ul class="files">
      ${fix.file_changes.map(({ path, operation }) => html`<li><span class="chip">${operation.toLowerCase()}</span> <code>${path}</code></li>`)}
    </ul>
  </section>`;
}

/** What is known: questions with their answers, and findings with the code that they rest on. */
export function evidencePart(gaps: readonly Gap[], findings: readonly Finding[]): Markup {
  return html`<section class="evidence">
    <h2>Questions</h2>
    ${
      gaps.length === 0
        ? html`<p class="empty">None was asked.</p>`
        : html`<ol class="gaps">
            ${gaps.map(
              (gap) =>
                html`<li value="${gap.number}">
                  ${gap.question}
                  <span class="chip"
                    >${gap.status}${gap.closedReason === null ? "" : `: ${gap.closedReason.replaceAll("_", " ")}`}</span
                  >
                  ${gap.closedNote === null ? "" : html`<blockquote>${gap.closedNote}</blockquote>`}
                </li>`,
            )}
          </ol>`
    }
    <h2>Findings</h2>
    ${
      findings.length === 0
        ? html`<p class="empty">None yet.</p>`
        : findings.map(
            ({ number, synthesis, sources, commit }) =>
              html`<section class="finding" id="finding-${number}">
                <h3>Finding ${number}</h3>
                <div class="text">${markdown(synthesis)}</div>
                ${sources.map((source) => codeOf(source, commit))}
              </section>`,
          )
    }
  </section>`;
}

/** What its model calls cost, by stage and one by one. */
export function costPart(calls: readonly StoredCall[], now: Date): Markup {
  if (calls.length === 0) return html`<p class="empty">No model was called: this was done by rules.</p>`;
  const stages = Map.groupBy(calls, ({ stage }) => stage);
  return html`<section class="cost">
    <table class="list">
      <thead>
        <tr>
          <th scope="col">Stage</th>
          <th scope="col">Calls</th>
          <th scope="col">Tokens in</th>
          <th scope="col">out</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        ${[...stages].map(
          ([stage, of]) =>
            html`<tr>
              <td>${stage.replaceAll("_", " ")}</td>
              <td data-label="Calls">${of.length}</td>
              <td data-label="Tokens in">${sum(of.map(({ usage }) => usage.input))}</td>
              <td data-label="out">${sum(of.map(({ usage }) => usage.output))}</td>
              <td data-label="Cost">${costOf(of)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    <h2>Calls</h2>
    <ul class="calls">
      ${calls.map(
        (call) =>
          html`<li>
            <a href="/calls/${call.id}">${call.model}</a> ${call.stage.replaceAll("_", " ")} · ${spanText(call.ms)} ·
            ${costOf([call])} ·
            ${ago(call.at, now)}${call.status === "ok" ? "" : html` <span class="chip">${call.status}</span>`}
          </li>`,
      )}
    </ul>
  </section>`;
}

function costOf(calls: readonly StoredCall[]): string {
  const unpriced = calls.filter(({ costUsd }) => costUsd === null).length;
  if (unpriced === calls.length) return "no price";
  return `${dollars(sum(calls.map(({ costUsd }) => costUsd ?? 0)))}${unpriced > 0 ? ` + ${unpriced} without a price` : ""}`;
}

const KINDS: Record<HiddenPlace["kind"], string> = {
  comment: "a comment or declaration",
  markup: "a tag, attribute, address or word after a fence",
  unshown: "contents that nobody sees",
  reference: "a definition, title or footnote",
  tag: "letters written in invisible characters",
  variation: "selectors of variants",
  bidi: "characters that reorder text",
  zero_width: "characters without width",
  control: "control characters",
};
const QUOTE = 120;

/**
 * Parts of a text that nobody sees, and no model gets, by kind and quoted as text (R-SAFE-6); nothing if there are
 * none.
 */
function leftOut(text: string): Markup {
  const hidden = hiddenIn(text);
  if (hidden.length === 0) return html``;
  const places = hidden.length === 1 ? "1 place" : `${hidden.length} places`;
  return html`<details class="between">
    <summary>Hidden text was left out: ${places}</summary>
    <ul>
      ${hidden.map(({ kind, text: gone, count }) => {
        const quote = cut(visible(oneLine(gone)), QUOTE);
        return html`<li>
          ${KINDS[kind]}${count > 1 ? ` (${count})` : ""}${quote === "" ? "" : html`: <code>${quote}</code>`}
        </li>`;
      })}
    </ul>
  </details>`;
}
