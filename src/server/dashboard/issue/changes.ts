import { html } from "hono/html";
import type { Changes } from "../../../app/code/changes.ts";
import type { Concern } from "../../../domain/concern.ts";
import { type Issue } from "../../../domain/issue.ts";
import type { FixPlan } from "../../../domain/plan.ts";
import type { TaskRequest } from "../../../domain/work.ts";
import { concernLines, concernWords } from "../../../notify/concern-words.ts";
import { type Markup, ago } from "../document.ts";
import { commentForm, reviewForm } from "../local-forms.ts";
import { markdown } from "../markdown.ts";
import { pathOf } from "../paths.ts";
import { type ChangedFile, filesOf, linesOf } from "./diff.ts";
import { sum } from "../words.ts";

/** What was said about a line, or about the change as a whole. */
export interface Thread {
  path: string | null;
  line: number | null;
  comments: readonly { author: string; body: string; createdAt: Date }[];
}

export interface ChangesShown {
  issue: Issue;
  /** Null before the first commit. */
  range: { base: string; head: string } | null;
  /** Null where the code is not on this machine. */
  changes: Changes | null;
  plan: FixPlan | null;
  concerns: readonly Concern[];
  request: TaskRequest | null;
  /** What was said about it so far. */
  threads: readonly Thread[];
  login: string;
  now: Date;
}

/** Characters of lines on one page. */
const MOST = 120_000;

/** What the work changes, file by file; with forms for a review if one is possible. */
export function changesPart(shown: ChangesShown): Markup {
  const { issue, range, changes, concerns, request, threads, login, now } = shown;
  if (range === null) return html`<p class="empty">Nothing has changed yet: work starts after a yes to the plan.</p>`;
  const isReviewable = issue.provider === "local" && request?.state === "open";
  const files = filesOf(changes?.patches ?? []);
  let room = MOST;
  const whole = concernLines(
    concerns.filter(({ path }) => path === null),
    "en",
  );
  return html`<section class="changes">
    <p class="facts">
      ${request === null ? "" : html`<span>request ${request.number} (${request.state})</span>`}
      <span>${files.length} ${files.length === 1 ? "file" : "files"}</span>
      <span
        ><ins class="count">+${sum(files.map(({ added }) => added))}</ins>
        <del class="count">−${sum(files.map(({ removed }) => removed))}</del></span
      >
      <span><code>${range.base.slice(0, 10)}...${range.head.slice(0, 10)}</code></span>
    </p>
    ${whole.length === 0 ? "" : html`<div class="problem">${whole.map((line) => markdown(line))}</div>`}
    ${
      changes === null
        ? html`<p class="empty">
            The code is not on this machine. Where it is,
            <code>git diff ${range.base.slice(0, 10)}...${range.head.slice(0, 10)}</code> shows the change.
          </p>`
        : ""
    }
    ${files.map((file, at) => {
      const { markup, characters } = linesOf(file, Math.max(0, room));
      room -= characters;
      return fileOf(file, at, markup, shown, isReviewable);
    })}
    ${changes?.isCut ? html`<p class="hint">The change is too large to show whole; the last files are left out.</p>` : ""}
    ${threadsOf(
      threads.filter(({ path }) => !files.some((file) => file.path === path)),
      now,
    )}
    ${isReviewable ? reviewForm(issue, request, login) : ""}
  </section>`;
}

function fileOf(file: ChangedFile, at: number, lines: Markup, shown: ChangesShown, isReviewable: boolean): Markup {
  const { issue, concerns, threads, login, now } = shown;
  return html`<details class="file" id="file-${at + 1}" open data-item>
    <summary>
      ${summaryOf(file, shown)}
      ${concerns.filter(({ path }) => path === file.path).map((one) => html`<span class="chip warn">▲ ${concernWords(one, "en")}</span>`)}
    </summary>
    ${lines}
    ${threadsOf(
      threads.filter(({ path }) => path === file.path),
      now,
    )}
    ${isReviewable ? commentForm(issue, file.path, { at: at + 1, login }) : ""}
  </details>`;
}

function threadsOf(threads: readonly Thread[], now: Date): Markup[] {
  return threads.flatMap(({ path, line, comments }) =>
    comments.map(
      ({ author, body, createdAt }) =>
        html`<article class="said">
          <header>
            <strong>@${author}</strong>
            ${line === null ? "" : html`on line ${line}${path === null ? "" : html` of <code>${path}</code>`}`}
            ${ago(createdAt, now)}
          </header>
          <div class="text">${markdown(body)}</div>
        </article>`,
    ),
  );
}

/** The files of a change, each with what the plan says of it, and a link to its lines. */
export function fileList(issue: Issue, files: readonly ChangedFile[], plan: FixPlan | null): Markup {
  return html`<ul class="files">
    ${files.map(
      (file, at) => html`<li>${summaryOf(file, { plan }, `${pathOf(issue)}?part=changes#file-${at + 1}`)}</li>`,
    )}
  </ul>`;
}

function summaryOf(
  { path, change, added, removed }: ChangedFile,
  { plan }: { plan: FixPlan | null },
  link: string | null = null,
): Markup {
  const isPlanned = plan?.file_changes.some((one) => one.path === path) ?? null;
  return html`${link === null ? html`<code>${path}</code>` : html`<a href="${link}"><code>${path}</code></a>`}
    ${change === "modified" ? "" : html`<span class="chip">${change}</span>`}
    ${isPlanned === null ? "" : html`<span class="chip">${isPlanned ? "✓ planned" : "○ not in the plan"}</span>`}
    <ins class="count">+${added}</ins> <del class="count">−${removed}</del>`;
}
