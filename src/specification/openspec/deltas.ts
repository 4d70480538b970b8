import { divide, isSameText, joined, section, type Part } from "./markdown.ts";
import { type WrittenRequirement, readCriteria, renderRequirement, unfilled } from "./requirements.ts";

/** What a project already says about a capability. */
export interface KnownCapability {
  /** `openspec/specs/CAPABILITY/spec.md`; null for a new capability. */
  spec: string | null;
  /** The deltas that were archived for the same change, oldest first. */
  archived: string[];
}

/** A capability's part of a change. */
export interface CapabilityChange {
  /** Text of `## Purpose`, for a new capability. */
  purpose: string;
  /** What stands before the first requirement. */
  before: string;
  requirements: WrittenRequirement[];
  /** Requirements to remove and to rename, as OpenSpec writes them. */
  removed: string;
  renamed: string;
}

const GONE = "**Reason**: The spec does not have it any more.\n**Migration**: None.";

/**
 * The text of `specs/CAPABILITY/spec.md`. A requirement that the project has becomes MODIFIED. One whose scenarios are
 * not all kept is removed and added under another heading, since OpenSpec refuses to drop scenarios; one that only an
 * earlier version of this change brought is removed.
 */
export function renderDelta(change: CapabilityChange, { spec, archived }: KnownCapability): string {
  const existing = spec === null ? [] : requirementsOf(spec, /^requirements$/i);
  const waiting = byName(existing);
  const freeHeading = headingsBeside(existing);
  const added: string[] = [];
  const modified: string[] = [];
  const removed: string[] = [];
  const kept = new Set<WrittenRequirement>();
  for (const requirement of change.requirements) {
    const old = waiting.get(folded(requirement.name))?.find((one) => !kept.has(one));
    if (old !== undefined) kept.add(old);
    if (old !== undefined && keepsScenarios(old, requirement)) {
      modified.push(renderRequirement(requirement, old.name));
      continue;
    }
    if (old !== undefined) removed.push(gone(old.name));
    added.push(renderRequirement(requirement, freeHeading(requirement.name)));
  }
  const brought = new Set(archived.flatMap((delta) => requirementsOf(delta, /^(?:added|modified) /i).map(nameOf)));
  for (const one of existing) if (!kept.has(one) && brought.has(nameOf(one))) removed.push(gone(one.name));
  return `${joined(
    "# Spec Delta",
    spec === null ? section("Purpose", change.purpose) : "",
    modified.length > 0 ? section("MODIFIED Requirements", joined(change.before, ...modified)) : "",
    section("ADDED Requirements", joined(modified.length > 0 ? "" : change.before, ...added)),
    section("REMOVED Requirements", joined(change.removed, ...removed)),
    section("RENAMED Requirements", change.renamed),
  )}\n`;
}

const DELTA = /^(?:purpose|(?:(?:added|modified|removed|renamed) )?requirements)$/i;

/** Reads a delta that Relay, people or other tools wrote; `others` are sections that OpenSpec does not know. */
export function readDelta(text: string): CapabilityChange & { others: Part[] } {
  const { parts } = divide(text, ({ depth }) => depth <= 2);
  const bodies = (name: RegExp) => parts.filter(({ heading }) => name.test(heading)).map(({ body }) => body);
  const criteria = bodies(/^(?:(?:added|modified) )?requirements$/i).map(readCriteria);
  return {
    purpose: joined(...bodies(/^purpose$/i)),
    before: joined(...criteria.map(({ before }) => before)),
    requirements: criteria.flatMap(({ requirements }) => requirements.map(unfilled)),
    removed: joined(...bodies(/^removed requirements$/i).map(withoutGone)),
    renamed: joined(...bodies(/^renamed requirements$/i)),
    others: parts.filter(({ depth, heading }) => depth === 2 && !DELTA.test(heading)),
  };
}

function requirementsOf(text: string, name: RegExp): WrittenRequirement[] {
  const { parts } = divide(text, ({ depth }) => depth <= 2);
  return parts.filter(({ heading }) => name.test(heading)).flatMap(({ body }) => readCriteria(body).requirements);
}

function gone(name: string): string {
  return joined(`### Requirement: ${name}`, GONE);
}

/** Without the removals that Relay worked out by itself: the next export does so again. */
function withoutGone(body: string): string {
  const { before, parts } = divide(body, ({ text }) => /^requirement\b/i.test(text));
  const others = parts.filter((part) => !isSameText(part.body, GONE));
  return joined(before, ...others.map((part) => joined(`### ${part.heading}`, part.body)));
}

/** Requirements by their headings and by the names that they have in a spec. */
function byName(requirements: readonly WrittenRequirement[]): Map<string, WrittenRequirement[]> {
  const named = requirements.flatMap((one) =>
    [...new Set([folded(one.name), nameOf(one)])].map((name) => ({ name, one })),
  );
  const groups = Map.groupBy(named, ({ name }) => name);
  return new Map([...groups].map(([name, members]) => [name, members.map(({ one }) => one)]));
}

/** The name that a requirement has in the spec. */
function nameOf(one: WrittenRequirement): string {
  return folded(unfilled(one).name);
}

function keepsScenarios(old: WrittenRequirement, { scenarios }: WrittenRequirement): boolean {
  const left = scenarios.length === 0 ? ["Met"] : scenarios.map(({ name }) => name);
  return old.scenarios.every(({ name }) => {
    const at = left.indexOf(name);
    if (at !== -1) left.splice(at, 1);
    return at !== -1;
  });
}

/** OpenSpec wants each heading once, in any case: a name gets a number if it is taken. */
function headingsBeside(existing: readonly WrittenRequirement[]): (name: string) => string {
  const taken = new Set(existing.map((one) => folded(one.name)));
  const counts = new Map<string, number>();
  return (name) => {
    const base = name === "" ? "Requirement" : name;
    let heading = "";
    do {
      const count = (counts.get(folded(base)) ?? 0) + 1;
      counts.set(folded(base), count);
      heading = count === 1 ? base : `${base} (${count})`;
    } while (taken.has(folded(heading)));
    taken.add(folded(heading));
    return heading;
  };
}

function folded(name: string): string {
  return name.toLowerCase().replaceAll(/\s+/g, " ").trim();
}
