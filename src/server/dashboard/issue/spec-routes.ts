import { html } from "hono/html";
import type { Gap } from "../../../domain/gap.ts";
import { type Issue, issueName } from "../../../domain/issue.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { Db } from "../../../storage/db.ts";
import { listFindings, listRemovedFindings } from "../../../storage/findings.ts";
import { listGaps } from "../../../storage/gaps.ts";
import { listMessagesNumbered, numbersOfMessages } from "../../../storage/messages.ts";
import { type SpecVersion, keptSpecText, listSpecVersions } from "../../../storage/specs.ts";
import { type PageContext, missing, numberIn } from "../answer.ts";
import type { Markup } from "../document.ts";
import { type CitedIn, citedIn } from "./cited.ts";
import type { Evidence } from "./sources.ts";
import { specDiff } from "./spec-diff.ts";
import { specPart } from "./spec.ts";

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
