import { locationOf } from "../../../domain/spec-document/citations.ts";
import type { Cited } from "../../../domain/spec-document/document.ts";
import { partsOf } from "../../../domain/spec-document/evidence-section.ts";
import { linkedInline } from "../../../domain/spec-document/links.ts";

/** What a version cites, each once, in order. */
export interface CitedIn {
  markdown: string;
  cited: { id: string; what: Cited }[];
  /** Addresses of lines and comments in the tracker, by how they are cited. */
  addresses: ReadonlyMap<string, string>;
}

/** The text with a link to the source at each citation; the Evidence, which the sources stand for, is left out. */
export function citedIn(text: string): CitedIn {
  const { written, addresses } = partsOf(text.replace(/^---\n[^]*?\n---\n/, ""));
  const ids = new Map<string, { id: string; what: Cited }>();
  const markdown = linkedInline(written, (what) => {
    const name = what.kind === "file" ? locationOf(what) : `${what.kind} ${what.id}`;
    const id = what.kind === "file" ? `source-place-${ids.size + 1}` : `source-${what.kind}-${what.id}`;
    const known = ids.get(name) ?? { id, what };
    ids.set(name, known);
    return `#${known.id}`;
  });
  return { markdown, cited: [...ids.values()], addresses };
}
