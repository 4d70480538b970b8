import { html } from "hono/html";
import { readLocation } from "../../../code/agent/source-lookup.ts";
import type { ThreadMessage } from "../../../domain/conversation.ts";
import type { Finding, FindingSource, RemovedFinding } from "../../../domain/finding.ts";
import type { Gap } from "../../../domain/gap.ts";
import type { Issue } from "../../../domain/issue.ts";
import { locationOf } from "../../../domain/spec-document/citations.ts";
import type { Cited } from "../../../domain/spec-document/document.ts";
import { withoutMarkdown } from "../../../domain/text/comment-markdown.ts";
import { oneLine } from "../../../lib/text.ts";
import { type Markup, ago, excerpt } from "../document.ts";
import { markdown } from "../markdown.ts";
import { messagePath } from "../paths.ts";
import type { CitedIn } from "./cited.ts";

/** What is on record about the things that a spec cites. */
export interface Evidence {
  gaps: readonly Gap[];
  findings: readonly Finding[];
  removed: readonly RemovedFinding[];
  /** Those that are cited, and those that answered a cited question. */
  messages: readonly ThreadMessage[];
  now: Date;
}

/** Lines and characters of code in one source. */
const MOST_LINES = 60;
const MOST_TEXT = 4_000;

/** What the text cites, each under the anchor that its citations lead to. */
export function sourcesOf(issue: Issue, spec: CitedIn, evidence: Evidence, commit: string | null): Markup {
  if (spec.cited.length === 0) return html``;
  return html`<section class="sources" aria-labelledby="sources">
    <h2 id="sources">Sources</h2>
    ${spec.cited.map(
      ({ id, what }) =>
        html`<article class="source" id="${id}" tabindex="-1">
          ${what.kind === "file" ? placeOf(what, spec, evidence, commit) : numbered(issue, what, evidence)}
        </article>`,
    )}
  </section>`;
}

function numbered(issue: Issue, { kind, id }: Exclude<Cited, { kind: "file" }>, evidence: Evidence): Markup {
  switch (kind) {
    case "gap":
      return gapOf(issue, id, evidence);
    case "finding":
      return findingOf(id, evidence);
    case "message":
      return messageOf(issue, Number(id), evidence);
    default:
      return kind satisfies never;
  }
}

function gapOf(issue: Issue, id: string, { gaps, messages, now }: Evidence): Markup {
  const gap = gaps.find((one) => String(one.number) === id);
  if (gap === undefined) return notThere(`Question ${id}`);
  const answer = gap.answeredIn === null ? null : messages.find(({ externalId }) => externalId === gap.answeredIn);
  return html`<h3>Question ${gap.number}</h3>
    <p>${gap.question}</p>
    <p class="facts">
      <span
        >${gap.status === "closed" ? `settled: ${(gap.closedReason ?? "closed").replaceAll("_", " ")}` : gap.status}</span
      >
      ${gap.closedAt === null ? "" : ago(gap.closedAt, now)}
    </p>
    ${gap.closedNote === null ? "" : html`<blockquote>${gap.closedNote}</blockquote>`}
    ${
      answer ? html`<p><a href="${messagePath(issue, answer.seq)}">@${answer.author}’s answer in the story</a></p>` : ""
    }`;
}

function findingOf(id: string, { findings, removed, now }: Evidence): Markup {
  const finding = findings.find((one) => String(one.number) === id || one.id === id);
  if (finding !== undefined) {
    return html`<h3>Finding ${finding.number}</h3>
      <div class="text">${markdown(finding.synthesis)}</div>
      ${finding.sources.map((source) => codeOf(source, finding.commit))}`;
  }
  const gone = removed.find((one) => String(one.number) === id || one.id === id);
  if (gone === undefined) return notThere(`Finding ${id}`);
  return html`<h3>Finding ${gone.number}</h3>
    <p><s>${gone.synthesis}</s></p>
    <p class="facts"><span>${(gone.why ?? "removed").replaceAll("_", " ")}</span> ${ago(gone.removedAt, now)}</p>`;
}

function messageOf(issue: Issue, number: number, { messages, now }: Evidence): Markup {
  const message = messages.find(({ seq }) => seq === number);
  if (message === undefined) return notThere(`Message ${number}`);
  return html`<h3>Message ${number}</h3>
    <p class="facts"><strong>@${message.author}</strong> ${ago(message.timestamp, now)}</p>
    <div class="text">${markdown(message.content)}</div>
    <p><a href="${messagePath(issue, number)}">In the story</a></p>`;
}

function placeOf(
  place: Extract<Cited, { kind: "file" }>,
  { addresses }: CitedIn,
  { findings }: Evidence,
  commit: string | null,
): Markup {
  const location = locationOf(place);
  const address = addresses.get(`\`${location}\``);
  const known = findings.flatMap((finding) =>
    finding.sources.flatMap((source) => {
      const at = readLocation(source.location);
      const holds = at?.path === place.path && at.start <= place.end && place.start <= at.end && source.snippet !== "";
      return holds ? [{ source, finding }] : [];
    }),
  );
  const [best] = known.toSorted((a, b) => b.source.snippet.length - a.source.snippet.length);
  return html`<h3><code>${location}</code></h3>
    ${
      best === undefined
        ? html`<p class="empty">No finding holds these lines.</p>`
        : html`${codeOf(best.source, best.finding.commit)}
            <p>From finding ${best.finding.number}: ${withoutMarkdown(oneLine(best.finding.synthesis))}</p>`
    }
    ${
      address === undefined
        ? commit === null
          ? ""
          : html`<p class="hint"><code>git show ${commit.slice(0, 10)}:${place.path}</code> has the whole file.</p>`
        : html`<p><a href="${address}" rel="noreferrer">At this commit in the repository</a></p>`
    }`;
}

/** The lines that a finding keeps of a place. */
export function codeOf({ location, snippet }: FindingSource, commit: string | null): Markup {
  const lines = excerpt(snippet, { lines: MOST_LINES, characters: MOST_TEXT });
  return html`<figure>
    <figcaption>
      <code>${location}</code>${commit === null ? "" : html` at <code>${commit.slice(0, 10)}</code>`}
    </figcaption>
    ${snippet === "" ? "" : html`<pre class="code" tabindex="0">${lines}</pre>`}
  </figure>`;
}

function notThere(name: string): Markup {
  return html`<h3>${name}</h3>
    <p class="empty">It is not on record any more.</p>`;
}
