import type { DependencyChange } from "../../code/dependencies/lock-files.ts";
import { code, inRow, prose } from "../../domain/text/comment-markdown.ts";
import type { RequestFacts } from "./body-facts.ts";
import { type Voice, heading, lines } from "./body-sections.ts";

/** Characters for each lock file's list, and for all of them. */
const ROOM = { file: 2_500, all: 6_000 };
const MOST_SHOWN = 100;

/** Each dependency that was added, removed or changed its version, with its licence if the lock file has it. */
export function dependencyList({ dependencies }: RequestFacts, voice: Voice): string {
  if (dependencies.length === 0) return "";
  const { say } = voice;
  let room = ROOM.all;
  const parts = dependencies.map(({ path, changes }) => {
    if (changes === null) return say("dependencies_unread", { path: code(path, 200) });
    const counted = {
      added: changes.filter(({ before }) => before.length === 0).length,
      removed: changes.filter(({ after }) => after.length === 0).length,
    };
    const changed = changes.length - counted.added - counted.removed;
    const lead = `${code(path, 200)}: ${say("dependencies_counted", { ...counted, changed })}`;
    const made = changes.slice(0, MOST_SHOWN).map((change) => lineOf(change, voice));
    const shown = room <= 0 ? [] : lines(made, Math.min(ROOM.file, room), changes.length, voice);
    room -= shown.join("\n").length;
    return [lead, ...(shown.length === 0 ? [] : ["", ...shown])].join("\n");
  });
  return [heading("dependencies", voice), ...lines(parts, ROOM.all * 2, parts.length, voice)].join("\n\n");
}

/** `- left-pad: 1.3.0 (new, MIT)` */
function lineOf({ name, before, after, licence }: DependencyChange, { say }: Voice): string {
  const moved = [before, after].filter((all) => all.length > 0).map(versions);
  const told = [
    ...(before.length === 0 ? [say("dependency_new")] : []),
    ...(after.length === 0 ? [say("dependency_gone")] : []),
    ...(licence === null ? [] : [prose(licence, 60)]),
  ];
  return `- ${code(name, 150)}: ${moved.join(" → ")}${told.length === 0 ? "" : ` (${told.join(", ")})`}`;
}

function versions(all: readonly string[]): string {
  const shown = all.slice(0, 5).map((one) => code(one || "?", 100));
  return inRow(shown, 300, all.length);
}
