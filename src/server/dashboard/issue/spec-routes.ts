import type { Gap } from "../../../domain/gap.ts";
import { type Issue, issueName } from "../../../domain/issue.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Db } from "../../../storage/db.ts";
import { listFindings, listRemovedFindings } from "../../../storage/findings.ts";
import { listGaps } from "../../../storage/gaps.ts";
import { listMessagesNumbered, numbersOfMessages } from "../../../storage/messages.ts";
import { type SpecVersion, keptSpecText, listSpecVersions } from "../../../storage/specs.ts";
import { type PageContext, missing, numberIn } from "../answer.ts";
import { type CitedIn, citedIn } from "./cited.ts";
import type { Evidence } from "./sources.ts";
import { type SpecShown, specPart, versionsOf } from "./spec.ts";
import { html } from "hono/html";
import { type Change, type ChangedLine, changedLines, compareSpecs } from "../../../specification/compare.ts";
import { type Markup, ago, excerpt } from "../document.ts";
import { markdown } from "../markdown.ts";

interface SpecDeps {
  db: () => Db;
  clock: Clock;
}

/** `?part=spec`: the newest version, the one of `version=`, or its changes since `against=`. */
export async function specTab(c: PageContext, issue: Issue, deps: SpecDeps): Promise<Markup> {
  const db = deps.db();
  const now = deps.clock.now();
  const { versions, version, numbered } = await versionsIn(c, issue, db);
  if (version === undefined) return html`<p class="empty">No spec yet: it is written after the go-ahead.</p>`;
  const text = await keptSpecText(db, issue.id, version.ref.sha256);
  const against = numbered("against");
  if (against !== undefined) {
    const before = await keptSpecText(db, issue.id, against.ref.sha256);
    const texts = before === null || text === null ? null : { before, after: text };
    return specDiff({ issue, versions, version, against, texts, now });
  }
  const spec = text === null ? null : citedIn(text);
  const gaps = await listGaps(db, issue.id);
  const shown = { issue, versions, version, text, gaps, now };
  return await specPart(shown, await evidenceOf(issue, spec, gaps, { db, now }), spec);
}

/** `…/spec.md`: a version as it is stored, to read or, with `download=1`, to keep. */
export async function rawSpec(c: PageContext, issue: Issue, { db }: SpecDeps): Promise<Response> {
  const { version } = await versionsIn(c, issue, db());
  const text = version === undefined ? null : await keptSpecText(db(), issue.id, version.ref.sha256);
  if (version === undefined || text === null)
    return await missing(c, `${issueName(issue)} has no such text of a spec.`);
  const name = `spec-${issue.externalIssueId.replaceAll(/[^\w-]/g, "-")}-v${version.version}.md`;
  const how = c.req.query("download") === undefined ? "inline" : "attachment";
  return c.body(text, 200, {
    "content-type": "text/plain; charset=utf-8",
    "content-disposition": `${how}; filename="${name}"`,
    "x-content-type-options": "nosniff",
  });
}

async function versionsIn(c: PageContext, issue: Issue, db: Db) {
  const versions = await listSpecVersions(db, issue.id);
  const numbered = (name: string): SpecVersion | undefined => {
    const wanted = numberIn(c.req.query(name));
    return versions.find(({ version }) => version === wanted);
  };
  return { versions, version: numbered("version") ?? versions.at(-1), numbered };
}

async function evidenceOf(
  issue: Issue,
  spec: CitedIn | null,
  gaps: readonly Gap[],
  { db, now }: { db: Db; now: Date },
): Promise<Evidence> {
  const cited = spec?.cited.map(({ what }) => what) ?? [];
  const numbers = cited.flatMap((what) => (what.kind === "message" ? [Number(what.id)] : []));
  const answers = gaps.flatMap(({ number, answeredIn }) =>
    answeredIn !== null && cited.some((what) => what.kind === "gap" && what.id === String(number)) ? [answeredIn] : [],
  );
  const wanted = [...numbers, ...(await numbersOfMessages(db, issue.id, answers))];
  return {
    gaps,
    findings: await listFindings(db, issue.id),
    removed: await listRemovedFindings(db, issue.id),
    messages: await listMessagesNumbered(
      db,
      issue.id,
      wanted.filter((number) => number < 2 ** 31),
    ),
    now,
  };
}

/** More lines of one change are not shown. */
const MOST_LINES = 400;
const LONGEST_LINE = 2_000;

interface SpecCompared extends Pick<SpecShown, "issue" | "versions" | "version" | "now"> {
  against: SpecVersion;
  /** The older text and the younger; null where only the spec store has one of them. */
  texts: { before: string; after: string } | null;
}

/** What changed between two versions, by requirement, decision, task and section (R-SPEC-12). */
function specDiff(shown: SpecCompared): Markup {
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
