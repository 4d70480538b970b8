import { Hono } from "hono";
import { z } from "zod";
import type { Viewer } from "../../../app/people/viewer.ts";
import { type Issue, issueName } from "../../../domain/issue.ts";
import { RelayError } from "../../../lib/errors.ts";
import { compareSpecs } from "../../../specification/compare.ts";
import { validateSpec } from "../../../specification/validate/validate.ts";
import { listFindings } from "../../../storage/findings.ts";
import { listGaps } from "../../../storage/gaps.ts";
import { usageOf } from "../../../storage/model-calls.ts";
import { type SpecVersion, keptSpecText, latestSpec, listSpecVersions } from "../../../storage/specs.ts";
import type { PageEnv } from "../../login.ts";
import { ISSUE, addressIn, issuePath } from "../address.ts";
import { type ApiDeps, seenIssue } from "../deps.ts";
import { given, told } from "../describe.ts";
import {
  changeSchema,
  shownSpecReport,
  shownSpecVersion,
  specReportSchema,
  specVersionSchema,
  validationSchema,
} from "../shapes/spec.ts";
import { count } from "../texts.ts";

const SPEC = `${ISSUE}/spec`;
const VERSION = `${SPEC}/versions/:version`;
const versionPath = issuePath.extend({ version: count });

export const specVersionsSchema = z.object({ versions: z.array(specVersionSchema) }).meta({ id: "SpecVersions" });
export const wholeSpecSchema = specVersionSchema
  .extend({ text: z.string().meta({ description: "Markdown." }) })
  .meta({ id: "WholeSpecVersion" });
export const specDiffSchema = z
  .object({ from: z.int(), to: z.int(), changes: z.array(changeSchema) })
  .meta({ id: "SpecDiff" });

/** The spec of an issue, its versions, and what changed between two of them. */
export function specRoutes(deps: ApiDeps): Hono<PageEnv> {
  const { db } = deps;
  const routes = new Hono<PageEnv>();

  routes.get(
    SPEC,
    told({
      id: "getSpec",
      tag: "specs",
      summary: "The newest spec and what it rests on, as `relay spec --json` prints it.",
      description: "Before the first version, `spec_ref` is null. The text is at `/spec/versions/{version}`.",
      answer: specReportSchema,
      refusals: [404],
    }),
    given("param", issuePath),
    async (c) => {
      const issue = await seenIssue(deps, c.get("viewer"), addressIn(c.req.valid("param")));
      const known = {
        version: await latestSpec(db(), issue.id),
        gaps: await listGaps(db(), issue.id),
        findings: await listFindings(db(), issue.id),
        usage: await usageOf(db(), issue.id),
      };
      const { specStore: places } = await deps.relay();
      return c.json(shownSpecReport(issue, known, { places, model: deps.specModel }));
    },
  );

  routes.get(
    `${SPEC}/versions`,
    told({
      id: "listSpecVersions",
      tag: "specs",
      summary: "All versions, oldest first.",
      answer: specVersionsSchema,
      refusals: [404],
    }),
    given("param", issuePath),
    async (c) => {
      const issue = await seenIssue(deps, c.get("viewer"), addressIn(c.req.valid("param")));
      const answer: z.infer<typeof specVersionsSchema> = {
        versions: (await listSpecVersions(db(), issue.id)).map(shownSpecVersion),
      };
      return c.json(answer);
    },
  );

  routes.get(
    VERSION,
    told({
      id: "getSpecVersion",
      tag: "specs",
      summary: "One version with its text.",
      answer: wholeSpecSchema,
      refusals: [404],
    }),
    given("param", versionPath),
    async (c) => {
      const { spec, text } = await versionAt(c.get("viewer"), c.req.valid("param"), deps);
      const answer: z.infer<typeof wholeSpecSchema> = { ...shownSpecVersion(spec), text };
      return c.json(answer);
    },
  );

  routes.get(
    `${VERSION}/raw`,
    told({
      id: "getSpecText",
      tag: "specs",
      summary: "The text of one version, byte for byte.",
      answer: "text/markdown",
      refusals: [404],
    }),
    given("param", versionPath),
    async (c) => {
      const { text } = await versionAt(c.get("viewer"), c.req.valid("param"), deps);
      return c.body(text, 200, { "content-type": "text/markdown; charset=utf-8" });
    },
  );

  routes.get(
    `${VERSION}/validation`,
    told({
      id: "validateSpec",
      tag: "specs",
      summary: "What is wrong with a version, as `relay validate --json` prints it without `--repo`.",
      description:
        "By its structure alone; `validation_status` tells whether what it cites was there when it was written.",
      answer: validationSchema,
      refusals: [404],
    }),
    given("param", versionPath),
    async (c) => {
      const { spec, text } = await versionAt(c.get("viewer"), c.req.valid("param"), deps);
      const { valid, complexity, errors, warnings } = await validateSpec(text);
      const answer: z.infer<typeof validationSchema> = { valid, complexity, errors, warnings, file: spec.ref.path };
      return c.json(answer);
    },
  );

  routes.get(
    `${SPEC}/diff`,
    told({
      id: "diffSpec",
      tag: "specs",
      summary: "What changed between two versions, by default the last two, as `relay diff --json` prints it.",
      answer: specDiffSchema,
      refusals: [404],
    }),
    given("param", issuePath),
    given("query", z.strictObject({ from: count.optional(), to: count.optional() })),
    async (c) => {
      const [viewer, path, query] = [c.get("viewer"), c.req.valid("param"), c.req.valid("query")];
      const issue = await seenIssue(deps, viewer, addressIn(path));
      const numbers = (await listSpecVersions(db(), issue.id)).map(({ version }) => version);
      const to = query.to ?? numbers.at(-1) ?? 0;
      const from = query.from ?? numbers.findLast((version) => version < to) ?? 0;
      if (to === 0 || from === 0) {
        const has = numbers.length === 0 ? "no spec yet" : "nothing before that version of its spec";
        throw new RelayError("not_found", `${issueName(issue)} has ${has}: there is nothing to compare`);
      }
      const before = await versionAt(viewer, { ...path, version: from }, deps);
      const after = await versionAt(viewer, { ...path, version: to }, deps);
      const answer: z.infer<typeof specDiffSchema> = { from, to, changes: compareSpecs(before.text, after.text) };
      return c.json(answer);
    },
  );
  return routes;
}

/** Throws `not_found` where there is no such version, or its text is lost. */
async function versionAt(
  viewer: Viewer,
  path: z.infer<typeof versionPath>,
  deps: ApiDeps,
): Promise<{ spec: SpecVersion; text: string }> {
  const issue = await seenIssue(deps, viewer, addressIn(path));
  const versions = await listSpecVersions(deps.db(), issue.id);
  const spec = versions.find(({ version }) => version === path.version);
  if (spec !== undefined) return { spec, text: await textOf(issue, spec, deps) };
  const known = versions.map(({ version }) => version).join(", ") || "none yet";
  throw new RelayError(
    "not_found",
    `${issueName(issue)} has no version ${path.version} of its spec; there are: ${known}`,
  );
}

/** From the database, where a copy is kept; else from its store. */
async function textOf(issue: Issue, { ref }: SpecVersion, { db, relay }: ApiDeps): Promise<string> {
  return (await keptSpecText(db(), issue.id, ref.sha256)) ?? (await (await relay()).specStore.read(ref));
}
