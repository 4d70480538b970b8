import { html } from "hono/html";
import type { SectionKey } from "../../../domain/spec-document/document.ts";
import { parseSpec } from "../../../domain/spec-document/parse.ts";
import type { Gap } from "../../../domain/gap.ts";
import type { Issue } from "../../../domain/issue.ts";
import { validateSpec } from "../../../specification/validate/validate.ts";
import { type SpecVersion, statusOf } from "../../../storage/specs.ts";
import { type Markup, ago } from "../document.ts";
import { markdownSections } from "../markdown.ts";
import { pathOf } from "../paths.ts";
import type { CitedIn } from "./cited.ts";
import { type Evidence, sourcesOf } from "./sources.ts";

/** A version of a spec, all versions, and what is on record of what it cites. */
export interface SpecShown {
  issue: Issue;
  versions: readonly SpecVersion[];
  version: SpecVersion;
  /** Null where only the spec store has it. */
  text: string | null;
  gaps: readonly Gap[];
  now: Date;
}

/** A version of the spec, set as a document, with its sources. */
export async function specPart(shown: SpecShown, evidence: Evidence, spec: CitedIn | null): Promise<Markup> {
  const { issue, version, text } = shown;
  return html`<section class="spec">
    ${await standOf(shown)} ${versionsOf(shown)}
    ${
      text === null || spec === null
        ? html`<p class="empty">Its text is only in the spec store: <code>${version.ref.path}</code>.</p>`
        : html`${legendOf(shown, spec)}
            <div class="text document" data-sources>${sectioned(spec)}</div>
            ${sourcesOf(issue, spec, evidence, version.commit)}`
    }
  </section>`;
}

const VERDICTS = { draft: "not decided yet", approved: "approved", rejected: "rejected", stale: "stale" };

async function standOf({ version, versions, text, now }: SpecShown): Promise<Markup> {
  const { staleCitations, commit, decidedBy } = version;
  const newest = versions.at(-1) ?? version;
  const errors = version.validationStatus === "valid" || text === null ? [] : (await validateSpec(text)).errors;
  return html`<p class="facts">
      <span>Version ${version.version}, ${ago(version.createdAt, now)}</span>
      ${commit === null ? "" : html`<span>for commit <code>${commit.slice(0, 10)}</code></span>`}
      <span>${version.validationStatus === "valid" ? "✓ valid" : "▲ partly valid"}</span>
      <span>${VERDICTS[version.status]}${decidedBy === null ? "" : ` by @${decidedBy}`}</span>
      ${newest.version === version.version ? "" : html`<span>▲ version ${newest.version} is newer</span>`}
    </p>
    ${
      version.validationStatus === "valid"
        ? ""
        : html`<div class="problem">
            <p>
              <strong>Not valid:</strong>
              ${errors.length === 0 ? "it cites or names what is not there." : "this is missing or wrong in it."}
            </p>
            <ul>
              ${errors.map(({ line, detail }) => html`<li>line ${line}: ${detail}</li>`)}
            </ul>
          </div>`
    }
    ${
      statusOf(version) === "stale"
        ? html`<div class="problem">
            <p><strong>Stale:</strong> the branch has moved on since, and what it cites is not so any more.</p>
            <ul>
              ${staleCitations.map(({ location, what }) => html`<li><code>${location}</code> ${what === "changed" ? "has other lines now" : "is gone"}</li>`)}
            </ul>
          </div>`
        : ""
    }`;
}

/** Where the versions are, what changed from one to the next, and the text as it is stored. */
export function versionsOf(
  { issue, versions, version }: Pick<SpecShown, "issue" | "versions" | "version">,
  against: SpecVersion | null = null,
): Markup {
  const path = pathOf(issue);
  const before = versions.findLast((one) => one.version < version.version);
  return html`<nav class="versions" aria-label="Versions of the spec">
    ${
      versions.length < 2
        ? ""
        : versions.map(
            (one) =>
              html`<a
                href="${path}?part=spec&version=${one.version}"
                ${one === version && against === null ? html`aria-current="true"` : ""}
                >Version ${one.version}</a
              >`,
          )
    }
    ${
      before === undefined
        ? ""
        : html`<a
            href="${path}?part=spec&version=${version.version}&against=${before.version}"
            ${against === null ? "" : html`aria-current="true"`}
            >Changes since version ${before.version}</a
          >`
    }
    <a class="aside" href="${path}/spec.md?version=${version.version}">Raw text</a>
    <a href="${path}/spec.md?version=${version.version}&download=1" download>Download</a>
  </nav>`;
}

/** How sure something is: a mark and a word, not only a colour. */
function legendOf({ gaps }: SpecShown, { markdown }: CitedIn): Markup {
  const { decisions, assumptions } = parseSpec(markdown);
  const open = gaps.filter(({ status }) => status !== "closed");
  return html`<ul class="legend" aria-label="How sure it is">
      <li class="decided">
        ${decisions.length === 0 ? "nothing decided" : html`<a href="#decided">${decisions.length} decided</a>`}
      </li>
      <li class="assumed">
        ${assumptions.length === 0 ? "nothing assumed" : html`<a href="#assumed">${assumptions.length} assumed</a>`}
      </li>
      <li class="open">${open.length === 0 ? "nothing open" : html`<a href="#open">${open.length} open</a>`}</li>
    </ul>
    ${
      open.length === 0
        ? ""
        : html`<section class="open" id="open" aria-label="Open questions">
            <ul>
              ${open.map(
                ({ number, question, proposedDefault }) =>
                  html`<li>
                    Question ${number}: ${question}
                    ${proposedDefault === null ? "" : html`<span class="hint">Without an answer: ${proposedDefault}</span>`}
                  </li>`,
              )}
            </ul>
          </section>`
    }`;
}

const SURENESS: Partial<Record<SectionKey, string>> = { decisions: "decided", assumptions: "assumed" };

/** The sections that tell what was decided or assumed can be led to, and are marked. */
function sectioned({ markdown }: CitedIn): Markup {
  const { sections } = parseSpec(markdown);
  return markdownSections(markdown, (line) => {
    const key = sections.find((one) => one.line === line)?.key ?? null;
    return key === null ? null : (SURENESS[key] ?? null);
  });
}
