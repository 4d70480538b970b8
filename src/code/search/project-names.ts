import type { Corpus } from "../index/corpus.ts";
import type { ReadText } from "./literals.ts";

const MANIFEST = /^(?:package\.json|composer\.json|Cargo\.toml|pyproject\.toml|go\.mod|[\w.-]+\.gemspec|mix\.exs)$/;
/** `"name": "@acme/plank"`, `name = "plank"`, `module example.org/plank`, `spec.name = "plank"`. */
const NAME = /^(?:module[ \t]+|[ \t]*(?:\w+\.)?"?name"?[ \t]*[:=][ \t]*)["']?(?:[\w@.-]+\/)*([\w.-]+)["']?/m;
/** A folder that this share of all source files are in, if there are enough of these. */
const SHARE = 0.5;
const LEAST = 4;

/** What the project is called, in lower case: by its manifests, and by the folder of its sources. */
export async function projectNames(corpus: Corpus, readText: ReadText): Promise<Set<string>> {
  const names = new Set<string>();
  const folders = new Map<string, number>();
  let sources = 0;
  for (const [position, { path, role }] of corpus.files.entries()) {
    if (!path.includes("/") && MANIFEST.test(path)) {
      const name = NAME.exec((await readText(position)) ?? "")?.[1];
      if (name !== undefined) names.add(name.toLowerCase());
    }
    if (role !== "source") continue;
    sources += 1;
    for (const folder of new Set(path.toLowerCase().split("/").slice(0, -1)))
      folders.set(folder, (folders.get(folder) ?? 0) + 1);
  }
  for (const [folder, count] of folders) if (sources >= LEAST && count >= sources * SHARE) names.add(folder);
  return names;
}
