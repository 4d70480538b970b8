import { html } from "hono/html";
import { type Change, type ChangedLine, changedLines, compareSpecs } from "../../../specification/compare.ts";
import type { SpecVersion } from "../../../storage/specs.ts";
import { type Markup, ago, excerpt } from "../document.ts";
import { markdown } from "../markdown.ts";
import { type SpecShown, versionsOf } from "./spec.ts";

/** More lines of one change are not shown. */
const MOST_LINES = 400;
const LONGEST_LINE = 2_000;

export interface SpecCompared extends Pick<SpecShown, "issue" | "versions" | "version" | "now"> {
  against: SpecVersion;
  /** The older text and the younger; null where only the spec store has one of them. */
  texts: { before: string; after: string } | null;
}

/** What changed between two versions, by requirement, decision, task and section (R-SPEC-12). */
export function specDiff(shown: SpecCompared): Markup {
  const { version, against, versions, texts, now } = shown;
  const changes = texts === null ? [] : compareSpecs(texts.before, texts.after);
  const between = versions.filter((one) => one.version > against.version && one.version <= version.version);
  return html`<section class="spec">
    <p class="facts">
      <span>From version ${against.version} to version ${version.version}</span>
      <span>${changes.length} ${changes.length === 1 ? "change" : "changes"}</span>
    </p>
    ${versionsOf(shown, against)}
    ${between.map(
      (one) =>
        html`<div class="changelog">
          <p class="facts"><span>Version ${one.version}</span> ${ago(one.createdAt, now)}</p>
          ${one.changelog === "" ? "" : html`<div class="text document">${markdown(one.changelog)}</div>`}
        </div>`,
    )}
    ${texts === null ? html`<p class="empty">The text of one of them is only in the spec store.</p>` : ""}
    ${texts !== null && changes.length === 0 ? html`<p class="empty">No differences.</p>` : ""} ${changes.map(changeOf)}
  </section>`;
}

const SIGNS = { added: "+", removed: "−", changed: "~", renamed: "→" } as const;

function changeOf({ part, kind, name, before, after }: Change): Markup {
  const lines =
    kind === "renamed"
      ? [
          { sign: "-" as const, text: before ?? "" },
          { sign: "+" as const, text: after ?? "" },
        ]
      : changedLines(before ?? "", after ?? "").filter(({ text }) => text !== "");
  return html`<section class="change">
    <h2><span class="chip">${SIGNS[kind]} ${part} ${kind}</span> ${name}</h2>
    ${lines.length === 0 ? "" : html`<pre class="diff" tabindex="0">${lines.slice(0, MOST_LINES).map(lineOf)}</pre>`}
    ${lines.length > MOST_LINES ? html`<p class="hint">${lines.length - MOST_LINES} more lines; the raw text has them.</p>` : ""}
  </section>`;
}

function lineOf({ sign, text }: ChangedLine): Markup {
  const shown = excerpt(text, { lines: 1, characters: LONGEST_LINE });
  return sign === "+"
    ? html`<ins><span class="sign">+</span>${shown}</ins>`
    : html`<del><span class="sign">−</span>${shown}</del>`;
}
