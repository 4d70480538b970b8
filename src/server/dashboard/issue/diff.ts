import { type StructuredPatch, parsePatch } from "diff";
import { html } from "hono/html";
import { type Markup, excerpt } from "../document.ts";

/** A file that a change touches. */
export interface ChangedFile {
  path: string;
  change: "added" | "deleted" | "modified";
  added: number;
  removed: number;
  /** Null for a binary file, and where git's text cannot be read. */
  patch: StructuredPatch | null;
}

/** The files of patches as git prints them, one a file; pure. */
export function filesOf(patches: readonly string[]): ChangedFile[] {
  return patches.map((text) => {
    const head = text.slice(0, 16_384);
    const path = /^diff --git "?a\/(.{1,4096}?)"? "?b\/\1"?\r?$/m.exec(head)?.[1] ?? head.split("\n", 1)[0] ?? "";
    const patch = parsed(text);
    const lines = patch?.hunks.flatMap((hunk) => hunk.lines) ?? [];
    return {
      path,
      change: /^new file mode/m.test(head) ? "added" : /^deleted file mode/m.test(head) ? "deleted" : "modified",
      added: lines.filter((line) => line.startsWith("+")).length,
      removed: lines.filter((line) => line.startsWith("-")).length,
      patch,
    };
  });
}

function parsed(text: string): StructuredPatch | null {
  try {
    const [patch] = parsePatch(text);
    return patch !== undefined && patch.hunks.length > 0 ? patch : null;
  } catch {
    return null;
  }
}

const LONGEST_LINE = 400;

/** Lines of a file's change, with the numbers that they have before and after it; at most `most` characters of them. */
export function linesOf({ path, patch }: ChangedFile, most: number): { markup: Markup; characters: number } {
  if (patch === null)
    return { markup: html`<p class="empty">No text to show: a binary file, or its mode.</p>`, characters: 0 };
  const rows: Markup[] = [];
  let characters = 0;
  let left = 0;
  for (const { oldStart, newStart, lines } of patch.hunks) {
    let [old, young] = [oldStart, newStart];
    rows.push(
      html`<tr class="hunk">
        <td colspan="3">line ${newStart}</td>
      </tr>`,
    );
    for (const line of lines) {
      const sign = line.charAt(0);
      const shown = excerpt(line.slice(1), { lines: 1, characters: LONGEST_LINE });
      if (characters > most) left += 1;
      else if (sign !== "\\") rows.push(rowOf(sign, sign === "+" ? null : old, sign === "-" ? null : young, shown));
      characters += shown.length + 100;
      if (sign !== "+") old += 1;
      if (sign !== "-") young += 1;
    }
  }
  const markup = html`<div class="wide" tabindex="0">
      <table class="lines" aria-label="Changes of ${path}">
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    ${left === 0 ? "" : html`<p class="hint">${left} more lines are not shown.</p>`}`;
  return { markup, characters: Math.min(characters, most) };
}

const KINDS: Record<string, string> = { "+": "plus", "-": "minus" };

function rowOf(sign: string, old: number | null, young: number | null, text: string): Markup {
  return html`<tr class="${KINDS[sign] ?? ""}">
    <td>${old ?? ""}</td>
    <td>${young ?? ""}</td>
    <td>${sign}${text}</td>
  </tr>`;
}
