import { html } from "hono/html";
import type { Issue } from "../../../domain/issue.ts";
import type { FixPlan } from "../../../domain/plan.ts";
import type { CheckResult, IterationFacts, Run, RunLogEntry } from "../../../domain/work.ts";
import { type Markup, clockSince, dollars, excerpt, spanText } from "../document.ts";
import { agentName } from "../words.ts";
import { stopForm } from "../local-forms.ts";
import { pathOf } from "../paths.ts";
import { fileList } from "./changes.ts";
import type { ChangedFile } from "./diff.ts";

export interface RunShown {
  issue: Issue;
  run: Run;
  /** The newest iteration; null before the first. */
  newest: IterationFacts | null;
  /** The newest lines, oldest first. */
  log: readonly RunLogEntry[];
  /** Hosts that the run was not allowed to reach, with the reason. */
  refused: readonly string[];
  /** Null where the code is not on this machine, or nothing has changed. */
  files: readonly ChangedFile[] | null;
  plan: FixPlan | null;
  login: string;
  now: Date;
}

/** The newest run: what failed first, what is proven, what it changes, and its log, which the script goes on with. */
export function runPart(shown: RunShown): Markup {
  const { issue, run, newest, log, refused, files, plan, login, now } = shown;
  const isRunning = run.status === "running";
  const checks = newest?.checks ?? [];
  return html`<section class="run">
    <p class="facts">
      <span class="state ${STATES[run.status] ?? ""}">${run.status}</span>
      <span>${agentName(run.agent)}</span>
      <span>${run.iterations} ${run.iterations === 1 ? "iteration" : "iterations"}</span>
      <span
        >${isRunning ? clockSince(run.startedAt, now) : spanText((run.endedAt ?? now).getTime() - run.startedAt.getTime())}</span
      >
      ${run.usd > 0 || isRunning ? html`<span class="money">${dollars(run.usd)}</span>` : ""}
      ${run.head === null ? "" : html`<span><code>${run.head.slice(0, 10)}</code> on <code>${run.branch}</code></span>`}
    </p>
    ${isRunning ? (stopForm(issue, login) ?? "") : ""} ${run.detail === null ? "" : html`<p>${run.detail}</p>`}
    ${run.outage === null ? "" : html`<p class="problem">It waits out an outage, and goes on by itself.</p>`}
    ${checks.filter(({ outcome }) => outcome === "failed" || outcome === "timeout").map(redOf)}
    ${checks.length === 0 ? "" : proofOf(checks, newest)}
    ${
      files === null || files.length === 0
        ? ""
        : html`<h2>Files <span class="count">${files.length}</span></h2>
            ${fileList(issue, files, plan)}`
    }
    ${
      newest === null || newest.untouched.length === 0
        ? ""
        : html`<p class="facts">
            <span>Planned, and not touched yet:</span> ${newest.untouched.map((path) => html`<code>${path}</code>`)}
          </p>`
    }
    ${
      refused.length === 0
        ? ""
        : html`<h2>Refused hosts</h2>
            <ul>
              ${refused.map((line) => html`<li>${line}</li>`)}
            </ul>`
    }
    ${logOf(shown, log)}
  </section>`;
}

const STATES: Partial<Record<Run["status"], string>> = {
  running: "in_progress",
  done: "done",
  stuck: "stuck",
  failed: "failed",
};

function redOf({ command, outcome, output }: CheckResult): Markup {
  return html`<section class="problem">
    <h2><code>${command}</code> ${outcome === "timeout" ? "ran out of time" : "failed"}</h2>
    <pre tabindex="0">${output}</pre>
  </section>`;
}

const MARKS = { passed: "✓", failed: "▲", timeout: "▲", "not run": "○" } as const;

/** The checks of the last commit, and whether they ran on a clean checkout. */
function proofOf(checks: readonly CheckResult[], newest: IterationFacts | null): Markup {
  const proof = newest?.proof;
  return html`<h2>Checks</h2>
    <p class="facts">
      ${
        proof === undefined
          ? html`<span>in the agent’s tree; the proof on a clean checkout comes last</span>`
          : html`<span>on a clean checkout of <code>${proof.commit.slice(0, 10)}</code></span>`
      }
      ${proof !== undefined && proof.proving.length > 0 ? html`<span>${proof.proving.length === 1 ? "1 test fails" : `${proof.proving.length} tests fail`} without the change</span>` : ""}
    </p>
    <ul class="checks">
      ${checks.map(
        ({ command, outcome, seconds, tests, output }) =>
          html`<li>
            <span class="mark">${MARKS[outcome]}</span> <code>${command}</code> ${outcome},
            ${spanText(seconds * 1_000)}${
              tests === undefined || tests.total === null ? "" : `, ${tests.total} tests, ${tests.failed} failed`
            }${outcome === "failed" ? html`<span class="why">${lastLine(output)}</span>` : ""}
          </li>`,
      )}
    </ul>`;
}

/** The last line of an output: most programs end with what went wrong. */
function lastLine(output: string): string {
  return excerpt(output.trimEnd().split("\n").at(-1) ?? "", { lines: 1, characters: 200 });
}

function logOf({ issue, run }: RunShown, log: readonly RunLogEntry[]): Markup {
  const first = log[0]?.seq ?? 1;
  const path = pathOf(issue);
  return html`<h2>Log</h2>
    ${log.length === 0 ? html`<p class="empty">No line yet.</p>` : ""}
    <div
      class="log"
      role="log"
      tabindex="0"
      aria-label="Log of the run"
      data-log="${path}/log?run=${run.id}"
      data-after="${log.at(-1)?.seq ?? 0}"
      data-before="${first}"
      ${run.status === "running" ? html`data-live` : ""}
    >
      ${first <= 1 ? "" : html`<p class="older"><a href="${path}?part=run&before=${first}">Older lines</a></p>`}
      ${stepsOf(log).map((step, at, all) => stepOf(step, at === all.length - 1))}
    </div>`;
}

/** Lines by step: a step, and what follows it. */
function stepsOf(log: readonly RunLogEntry[]): RunLogEntry[][] {
  const steps: RunLogEntry[][] = [];
  for (const entry of log) {
    const last = steps.at(-1);
    if (entry.kind === "step" || last === undefined) steps.push([entry]);
    else last.push(entry);
  }
  return steps;
}

/** A step folds; the last one, short ones and those with a problem are open. */
function stepOf(entries: readonly RunLogEntry[], isLast: boolean): Markup {
  const [first, ...rest] = entries;
  if (first === undefined) return html``;
  if (first.kind !== "step") return html`<div class="lines">${entries.map(lineOf)}</div>`;
  if (rest.length === 0) return html`<div class="lines">${lineOf(first)}</div>`;
  const isOpen = isLast || rest.length <= 12 || rest.some(({ kind }) => kind === "problem");
  return html`<details ${isOpen ? html`open` : ""}>
    <summary class="step" id="line-${first.seq}">${first.text} <span class="count">${rest.length}</span></summary>
    <div class="lines">${rest.map(lineOf)}</div>
  </details>`;
}

function lineOf({ seq, kind, text }: RunLogEntry): Markup {
  return html`<div class="${kind}" id="line-${seq}">${text}</div>`;
}
