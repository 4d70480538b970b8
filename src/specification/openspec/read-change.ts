import { blankFrontMatter } from "../../domain/spec-document/blocks.ts";
import { linksIn } from "../../domain/spec-document/links.ts";
import { parseSpec } from "../../domain/spec-document/parse.ts";
import { withoutAddresses } from "./addresses.ts";
import { readDelta } from "./deltas.ts";
import { isDerived, purposeOf } from "./derived.ts";
import { divide, isSameText, joined } from "./markdown.ts";
import { type SpecSection, headingInSpec, inOrder, sectionInSpec } from "./places.ts";
import { type Criteria, isLoose, renderCriteria } from "./requirements.ts";
import { renderPlan } from "./tasks.ts";
import { capabilityFor } from "./write-change.ts";

/** A change as the parts of a spec. */
export interface ReadChange {
  /** Null where the proposal has no title of its own. */
  title: string | null;
  /** What stands between the title and the first section. */
  head: string;
  sections: SpecSection[];
}

/**
 * Reads an OpenSpec change that Relay, people or other tools wrote (R-SPEC-14), from the texts of its files by path.
 * What a spec has no place for is kept in sections of OpenSpec's names.
 */
export function readChange(given: ReadonlyMap<string, string>): ReadChange {
  const design = given.get("design.md") ?? "";
  const addresses = linksIn(design);
  const files = new Map(
    [...given].map(([path, text]) => [
      path,
      withoutAddresses(blankFrontMatter(text), path === "design.md" ? new Map() : addresses),
    ]),
  );
  const { title, head, sections: proposed } = readProposal(files.get("proposal.md") ?? "");
  const fallback = capabilityFor({ title });
  const deltas = [...files].flatMap(([path, text]) => {
    const name = /^specs\/(.+)\/spec\.md$/.exec(path)?.[1];
    return name === undefined ? [] : [{ name, ...readDelta(text) }];
  });
  // Those of the spec's own capability come first, as their headings name none.
  const ordered = deltas.toSorted((a, b) => Number(b.name === fallback) - Number(a.name === fallback));
  const requirements = ordered.flatMap(({ name, requirements: own }) =>
    own.map((one) => ({ ...one, capability: name === fallback ? null : name })),
  );
  const criteria: Criteria = {
    before: joined(...ordered.map(({ before }) => before)),
    loose: requirements.filter(isLoose).flatMap(({ scenarios }) => scenarios),
    requirements: requirements.filter((one) => !isLoose(one)),
  };
  const sections = [
    ...proposed,
    ...known("criteria", renderCriteria(criteria, fallback)),
    ...known("plan", renderPlan(files.get("tasks.md") ?? "")),
    ...readDesign(blankFrontMatter(design)),
    ...ordered.flatMap(({ others }) => others.map(({ heading, body }) => sectionInSpec(heading, body, "design"))),
    ...extra(
      "Removed Requirements",
      byCapability(ordered, fallback, ({ removed }) => removed),
    ),
    ...extra(
      "Renamed Requirements",
      byCapability(ordered, fallback, ({ renamed }) => renamed),
    ),
  ];
  const usual = purposeOf(parseSpec(renderSpec({ title, head, sections })));
  const purpose = byCapability(ordered, fallback, (one) => (isSameText(one.purpose, usual) ? "" : one.purpose));
  return { title, head, sections: [...sections, ...extra("Purpose", purpose)] };
}

/** The Markdown of a spec. */
export function renderSpec({ title, head, sections }: ReadChange): string {
  const blocks = inOrder(sections).map(({ heading, body }) => joined(`## ${heading}`, body));
  return `${joined(title === null ? "" : `# Spec: ${title}`, head, ...blocks)}\n`;
}

function readProposal(text: string): ReadChange {
  const { before, parts } = divide(text, ({ depth }) => depth <= 2);
  const titled = parts[0]?.depth === 1 ? parts[0] : undefined;
  const name = (titled?.heading ?? "").replace(/^(?:change )?(?:proposal|change)\s*(?::\s*|$)/i, "");
  const sections = parts
    .filter((part) => part !== titled && !isDerived(part.body))
    .map(({ heading, body }) => sectionInSpec(heading, body, "proposal"));
  return { title: name === "" ? null : name, head: joined(before, titled?.body ?? ""), sections };
}

function readDesign(text: string): SpecSection[] {
  const { before, parts } = divide(text, ({ depth }) => depth <= 2);
  const titled = parts[0]?.depth === 1 ? parts[0] : undefined;
  const intro = joined(before, titled?.body ?? "");
  const sections = parts
    .filter((part) => part !== titled)
    .map(({ heading, body }) => sectionInSpec(heading, body, "design"))
    .map((one) => (one.key === "decisions" ? { ...one, body: decisionsIn(one.body) } : one));
  return intro === "" || isDerived(intro) ? sections : [{ key: "design", heading: "Design", body: intro }, ...sections];
}

/** A spec lists its decisions; people also give each of them a heading. */
function decisionsIn(body: string): string {
  const { before, parts } = divide(body, () => true);
  const isListed = parseSpec(joined("## Decisions", body)).decisions.length > 0;
  if (isListed || parts.length === 0) return body;
  const items = parts.map(({ heading, body: text }) =>
    `- **${heading}**\n\n${text}`.trim().replaceAll(/\n(?=.)/g, "\n  "),
  );
  return joined(before, ...items);
}

function known(key: "criteria" | "plan", body: string): SpecSection[] {
  return body === "" ? [] : [{ key, heading: headingInSpec(key), body }];
}

function extra(heading: string, body: string): SpecSection[] {
  return body === "" ? [] : [{ key: null, heading, body }];
}

function byCapability<T extends { name: string }>(
  deltas: readonly T[],
  fallback: string,
  textOf: (delta: T) => string,
): string {
  const blocks = deltas.map((one) => {
    const text = textOf(one);
    return text === "" || one.name === fallback ? text : joined(`### Capability: ${one.name}`, text);
  });
  return joined(...blocks);
}
