import { divide, joined, withDepths } from "./markdown.ts";

/** A requirement as it stands in a text: what is below a heading is kept as it was written. */
export interface WrittenRequirement {
  name: string;
  statement: string;
  scenarios: WrittenScenario[];
  /** The capability that a heading above it names; null for that of the whole spec. */
  capability: string | null;
}

interface WrittenScenario {
  name: string;
  body: string;
}

/** The requirements below one heading. */
export interface Criteria {
  /** What stands before the first of them. */
  before: string;
  requirements: WrittenRequirement[];
  /** Scenarios under no requirement. */
  loose: WrittenScenario[];
}

const CAPABILITY = /^capability\s*:\s*`?([^`]+?)`?$/i;
/** The capability that a heading names; null for any other heading. */
export function capabilityIn(heading: string): string | null {
  return CAPABILITY.exec(heading)?.[1] ?? null;
}

const TITLED = /^[*_]*(requirement|scenario)[*_]*\s*:?[*_]*(.*)$/is;

/** The name in a spec, where OpenSpec needs another heading. */
const NAMED = /^\*\*Name\*\*:(.*)(?:\n|$)/;

/** What OpenSpec asks for and a spec need not have. Reading removes it again. */
const FILLED = {
  must: "This requirement MUST be met.",
  loose: "The following scenarios MUST hold.",
  noSteps: "No steps are written yet.",
  met: { name: "Met", body: "- **WHEN** the requirement applies\n- **THEN** it is met as it stands" },
};

/** Reads requirements and scenarios, whatever the depth of their headings. */
export function readCriteria(text: string): Criteria {
  const { before, parts } = divide(text, ({ text: heading }) => TITLED.test(heading) || capabilityIn(heading) !== null);
  const found: Criteria = { before, requirements: [], loose: [] };
  let capability: string | null = null;
  for (const part of parts) {
    const named = capabilityIn(part.heading);
    if (named !== null) {
      capability = named;
      continue;
    }
    const [, kind = "", name = ""] = TITLED.exec(part.heading) ?? [];
    const requirement = found.requirements.at(-1);
    if (kind.toLowerCase() === "requirement") {
      found.requirements.push({ name: name.trim(), statement: part.body, scenarios: [], capability });
    } else (requirement?.scenarios ?? found.loose).push({ name: name.trim(), body: part.body });
  }
  return found;
}

/** One requirement of `## ADDED Requirements`, under the heading `shownAs`, with all that OpenSpec asks for. */
export function renderRequirement({ name, statement, scenarios }: WrittenRequirement, shownAs: string): string {
  const { before, parts } = divide(statement, () => true);
  const isNormative = /\b(?:SHALL|MUST)\b/.test(ownText(before));
  return joined(
    `### Requirement: ${shownAs}`,
    shownAs === name && !NAMED.test(statement) ? "" : `**Name**: ${name}`.trimEnd(),
    before,
    isNormative ? "" : FILLED.must,
    ...parts.map(({ heading, body }) => joined(`##### ${heading}`.trimEnd(), body)),
    ...(scenarios.length === 0 ? [FILLED.met] : scenarios).map(renderScenario),
  );
}

/** Scenarios under no requirement, under one that is made for them. */
export function looseRequirement(loose: WrittenScenario[], title: string): WrittenRequirement[] {
  return loose.length === 0 ? [] : [{ name: title, statement: FILLED.loose, scenarios: loose, capability: null }];
}

/** Without what `renderRequirement` filled in. */
export function unfilled(requirement: WrittenRequirement): WrittenRequirement {
  const named = NAMED.exec(requirement.statement);
  const rest = named === null ? requirement.statement : requirement.statement.slice(named[0].length);
  const { before, parts } = divide(rest, () => true);
  return {
    ...requirement,
    name: named?.[1]?.trim() ?? requirement.name,
    statement: joined(
      withoutLast(before, FILLED.must),
      ...parts.map(({ heading, body }) => joined(`##### ${heading}`.trimEnd(), body)),
    ),
    scenarios: requirement.scenarios.flatMap(({ name, body }) => {
      if (name === FILLED.met.name && body === FILLED.met.body) return [];
      return [{ name, body: body === FILLED.noSteps ? "" : body }];
    }),
  };
}

/** Whether it was made for scenarios under no requirement. */
export function isLoose({ statement }: WrittenRequirement): boolean {
  return statement === FILLED.loose;
}

/** Requirements as a spec has them. */
export function renderCriteria({ before, requirements, loose }: Criteria, capability: string): string {
  let current = capability;
  const blocks = requirements.map((requirement) => {
    const own = requirement.capability ?? capability;
    const heading = own === current ? "" : `### Capability: ${own}`;
    current = own;
    return joined(
      heading,
      `### Requirement: ${requirement.name}`.trimEnd(),
      requirement.statement,
      ...requirement.scenarios.map(scenarioInSpec),
    );
  });
  return joined(before, ...loose.map(scenarioInSpec), ...blocks);
}

function scenarioInSpec({ name, body }: WrittenScenario): string {
  return joined(`#### Scenario: ${name}`.trimEnd(), body);
}

function renderScenario({ name, body }: WrittenScenario): string {
  return joined(
    `#### Scenario: ${name}`.trimEnd(),
    withDepths(body === "" ? FILLED.noSteps : body, () => 5),
  );
}

/** The text that OpenSpec reads as the requirement's: without code, and without fields as long as there is other text. */
function ownText(text: string): string {
  const { before } = divide(text, () => true);
  let fence: string | null = null;
  const lines = before.split("\n").filter((line) => {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === null && mark === undefined) return true;
    if (fence === null) fence = mark ?? null;
    else if (mark !== undefined && mark.startsWith(fence)) fence = null;
    return false;
  });
  const plain = lines.filter((line) => line.trim() !== "" && !/^\*\*[^*]+\*\*:/.test(line.trim()));
  return (plain.length > 0 ? plain : lines).join("\n");
}

function withoutLast(text: string, line: string): string {
  if (text === line) return "";
  return text.endsWith(`\n\n${line}`) ? text.slice(0, -line.length).trimEnd() : text;
}
