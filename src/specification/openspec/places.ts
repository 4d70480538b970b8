import { SECTIONS, type SectionKey } from "../../domain/spec-document/document.ts";
import { sectionKey } from "../../domain/spec-document/parse.ts";

/** The files of a change that a section may stand in; `specs` and `tasks` have a form of their own. */
type ChangeFile = "proposal" | "specs" | "tasks" | "design";

/** Where a spec's section stands in a change, and what OpenSpec calls it there (R-SPEC-14). */
const PLACES: Partial<Record<SectionKey, { file: ChangeFile; name?: string; own?: string }>> = {
  problem: { file: "proposal", name: "Why", own: "Problem Statement" },
  tldr: { file: "proposal", name: "What Changes", own: "TL;DR" },
  changelog: { file: "proposal" },
  criteria: { file: "specs", own: "Success Criteria" },
  plan: { file: "tasks", own: "Implementation Plan" },
  goals: { file: "design", name: "Goals / Non-Goals", own: "Goals / Non-goals" },
  decisions: { file: "design", name: "Decisions", own: "Decision Log" },
  migration: { file: "design", name: "Migration Plan", own: "Migration plan" },
  risks: { file: "design", name: "Risks / Trade-offs", own: "Risk matrix" },
};

/** Sections that OpenSpec has and Relay's document does not; a spec keeps them under these names. */
const OF_OPENSPEC: Record<string, ChangeFile> = {
  purpose: "specs",
  "removed requirements": "specs",
  "renamed requirements": "specs",
  capabilities: "proposal",
  impact: "proposal",
};

export interface SpecSection {
  /** Null for an unknown heading. */
  key: SectionKey | null;
  heading: string;
  body: string;
}

export function fileOf({ key, heading }: Pick<SpecSection, "key" | "heading">): ChangeFile {
  if (key === null) return OF_OPENSPEC[heading.trim().toLowerCase()] ?? "design";
  return PLACES[key]?.file ?? "design";
}

/** The heading of a section in a change. */
export function nameInChange({ key, heading }: Pick<SpecSection, "key" | "heading">): string {
  return (key === null ? undefined : PLACES[key]?.name) ?? heading;
}

/** Parts of a spec that have a file of their own, or another one: what is called so elsewhere is something else. */
const RESERVED: Record<"proposal" | "design", readonly SectionKey[]> = {
  proposal: ["criteria", "plan"],
  design: ["criteria", "plan", "problem", "tldr"],
};

/** A section of `proposal.md` or `design.md` as a section of a spec. */
export function sectionInSpec(heading: string, body: string, file: "proposal" | "design"): SpecSection {
  const key = keyOf(heading);
  if (key === null) return { key, heading, body };
  if (RESERVED[file].includes(key)) {
    return { key: null, heading: `${file === "proposal" ? "Proposal" : "Design"}: ${heading}`, body };
  }
  const { name, own } = PLACES[key] ?? {};
  return { key, heading: own !== undefined && isSameName(heading, name ?? own) ? own : heading, body };
}

/** The heading of a section that is written anew. */
export function headingInSpec(key: "criteria" | "plan"): string {
  return PLACES[key]?.own ?? key;
}

/** In the order in which Relay writes them; what only this spec has comes before the history. */
export function inOrder(sections: readonly SpecSection[]): SpecSection[] {
  const rank = ({ key }: SpecSection) => (key === null ? SECTIONS.indexOf("changelog") - 0.5 : SECTIONS.indexOf(key));
  return sections.toSorted((a, b) => rank(a) - rank(b));
}

function keyOf(heading: string): SectionKey | null {
  return SECTIONS.find((key) => isSameName(heading, PLACES[key]?.name ?? "")) ?? sectionKey(heading);
}

function isSameName(a: string, b: string): boolean {
  return a.trim().toLowerCase() === b.toLowerCase();
}
