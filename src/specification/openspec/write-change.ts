import { blankFrontMatter, linesOf } from "../../domain/spec-document/blocks.ts";
import type { SectionKey, SpecDocument } from "../../domain/spec-document/document.ts";
import { linksIn } from "../../domain/spec-document/links.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import { slugOf } from "../../adapters/spec-stores/path.ts";
import { RelayError } from "../../lib/errors.ts";
import { type KnownCapability, renderDelta } from "./deltas.ts";
import { withAddresses } from "./addresses.ts";
import { NO_DESIGN, capabilitiesText, impactText, purposeOf } from "./derived.ts";
import { belowHeading, divide, joined, section, withDepths } from "./markdown.ts";
import { type SpecSection, fileOf, nameInChange } from "./places.ts";
import { type Criteria, capabilityIn, looseRequirement, readCriteria } from "./requirements.ts";
import { renderTasks } from "./tasks.ts";

export interface Change {
  /** Its folder below `openspec/changes/`. */
  id: string;
  /** Text by path within the folder. */
  files: Map<string, string>;
  capabilities: { name: string; isNew: boolean }[];
}

export interface ChangeOptions {
  /** The capability of requirements that name none; by default made from the title. */
  capability?: string;
  /** What the project already says about a capability. */
  known: (capability: string, changeId: string) => Promise<KnownCapability>;
}

/**
 * A spec as an OpenSpec change (R-SPEC-14), which `readChange` reads back without a loss. Sections that OpenSpec does not
 * know are kept in `design.md`. Throws `invalid` for a spec without any scenario.
 */
export async function writeChange(text: string, { capability, known }: ChangeOptions): Promise<Change> {
  const document = parseSpec(text);
  const { head, sections } = sectionsOf(text, document);
  const title = document.title ?? "";
  const id = changeId(document);
  const fallback = capability ?? capabilityFor(document);
  const criteria = readCriteria(bodyOf(sections, "criteria"));
  const deltas = await deltasOf(criteria, sections, document, { fallback, id, known });
  const proposal = joined(
    `# Proposal${title === "" ? "" : `: ${title}`}`,
    head,
    ifThere("Why", "problem", sections),
    ifThere("What Changes", "tldr", sections),
    section("Capabilities", ownOr("capabilities", sections, capabilitiesText(deltas))),
    section("Impact", ownOr("impact", sections, impactText(document))),
    ifThere("Changelog", "changelog", sections),
  );
  const design = sections
    .filter((one) => fileOf(one) === "design")
    .map((one) => joined(`## ${nameInChange(one)}`, one.body));
  const addresses = linksIn(text);
  const linked = (file: string, evidenceIn: string | null) => withAddresses(file, addresses, evidenceIn);
  return {
    id,
    files: new Map([
      ["proposal.md", linked(`${proposal}\n`, DESIGN)],
      ["tasks.md", linked(renderTasks(bodyOf(sections, "plan")), DESIGN)],
      [DESIGN, `${joined("# Design", ...(design.length === 0 ? [NO_DESIGN] : design))}\n`],
      ...deltas.map(({ name, delta }) => [`specs/${name}/spec.md`, linked(delta, null)] as const),
    ]),
    capabilities: deltas.map(({ name, isNew }) => ({ name, isNew })),
  };
}

/** The file that has the Evidence. */
const DESIGN = "design.md";

/** A capability's name as OpenSpec wants it; throws `usage` if nothing is left of it. */
export function capabilityPath(name: string): string {
  const parts = name.split("/").filter((part) => /[\p{L}\p{N}]/u.test(part));
  if (parts.length === 0) throw new RelayError("usage", `“${name}” is no name of a capability; use words and hyphens`);
  return parts.map(slugOf).join("/");
}

/** The capability of a spec that names none. */
export function capabilityFor({ title }: Pick<SpecDocument, "title">): string {
  return slugOf(title ?? "");
}

/** The same for all versions of a spec: the number of its issue, and its title. */
function changeId({ issue, title }: SpecDocument): string {
  const number = /(?:#|\/)(\d{1,18})\s*$/.exec(issue ?? "")?.[1];
  const slug = slugOf(title ?? "");
  return number === undefined ? slug : `issue-${number}-${slug}`;
}

function sectionsOf(text: string, document: SpecDocument): { head: string; sections: SpecSection[] } {
  const lines = linesOf(blankFrontMatter(text));
  const first = document.sections[0]?.line ?? lines.length + 1;
  const { before, parts } = divide(lines.slice(0, first - 1).join("\n"), () => true);
  const [title, ...others] = parts;
  const rest = others.map(({ heading, body }) => joined(`### ${heading}`, body));
  const sections = document.sections.map(({ key, heading, line, endLine }) => {
    const { depth, body } = belowHeading(lines.slice(line - 1, endLine).join("\n"));
    return { key, heading, body: withDepths(body, (inner) => Math.max(3, inner.depth - depth + 2)) };
  });
  return { head: joined(before, title?.body ?? "", ...rest), sections };
}

interface CapabilityDelta {
  name: string;
  isNew: boolean;
  delta: string;
}

async function deltasOf(
  criteria: Criteria,
  sections: readonly SpecSection[],
  document: SpecDocument,
  { fallback, id, known }: { fallback: string; id: string } & Pick<ChangeOptions, "known">,
): Promise<CapabilityDelta[]> {
  const named = (heading: string) => byCapability(ownSection(heading, sections), fallback);
  const parts = {
    purpose: named("purpose"),
    removed: named("removed requirements"),
    renamed: named("renamed requirements"),
  };
  const loose = looseRequirement(criteria.loose, document.title ?? "Scenarios");
  const requirements = [...loose, ...criteria.requirements].map((one) => ({
    ...one,
    capability: one.capability === null ? fallback : capabilityPath(one.capability),
  }));
  const names = new Set([
    ...requirements.map((one) => one.capability),
    ...parts.removed.keys(),
    ...parts.renamed.keys(),
  ]);
  if (names.size === 0) {
    throw new RelayError(
      "invalid",
      "OpenSpec needs a requirement with a scenario, and this spec has none; `relay validate` says what is missing",
    );
  }
  return await Promise.all(
    [...names].map(async (name, index) => {
      const before = index === 0 ? criteria.before : "";
      const existing = await known(name, id);
      const own = requirements.filter((one) => one.capability === name);
      const purpose = parts.purpose.get(name) ?? purposeOf(document);
      const change = { purpose, before, requirements: own, removed: "", renamed: "" };
      const removed = parts.removed.get(name) ?? "";
      const renamed = parts.renamed.get(name) ?? "";
      return { name, isNew: existing.spec === null, delta: renderDelta({ ...change, removed, renamed }, existing) };
    }),
  );
}

/** The text below each `### Capability: …`; what stands before the first belongs to the fallback. */
function byCapability(body: string, fallback: string): Map<string, string> {
  const { before, parts } = divide(body, ({ text }) => capabilityIn(text) !== null);
  const found = new Map(before === "" ? [] : [[fallback, before] as const]);
  for (const part of parts) {
    const name = capabilityPath(capabilityIn(part.heading) ?? fallback);
    found.set(name, joined(found.get(name) ?? "", part.body));
  }
  return found;
}

function bodyOf(sections: readonly SpecSection[], key: SectionKey): string {
  return joined(...sections.filter((one) => one.key === key).map(({ body }) => body));
}

/** A section that Relay does not know by its name in lower case. */
function ownSection(name: string, sections: readonly SpecSection[]): string {
  const own = sections.filter(({ key, heading }) => key === null && heading.trim().toLowerCase() === name);
  return joined(...own.map(({ body }) => body));
}

function ownOr(name: string, sections: readonly SpecSection[], derived: string): string {
  return ownSection(name, sections) || derived;
}

function ifThere(heading: string, key: SectionKey, sections: readonly SpecSection[]): string {
  return sections.some((one) => one.key === key) ? joined(`## ${heading}`, bodyOf(sections, key)) : "";
}
