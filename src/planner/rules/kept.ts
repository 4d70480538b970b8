import type { IndexedFile } from "../../code/code-index.ts";
import { namesTopic } from "../../code/search/telling-words.ts";
import type { ConversationMessage } from "../../domain/conversation.ts";
import { placesMeant } from "../../domain/statements/places-meant.ts";

const CODE = /(```[\s\S]*?(?:```|$)|`[^`\n]*`)/;
const WORD = /(?<![\p{L}\p{N}_./-])[A-Za-z][\w-]{1,30}(?![\p{L}\p{N}_/-]|\.\w)/gu;

/**
 * The parts of the code that people who decide leave as they are: “the CLI keeps its error”, “HTTP stays untouched”. People
 * call a part by the name of its folder; a file only where they write its name as code.
 */
export function keptParts(
  index: { files: readonly Pick<IndexedFile, "path" | "role">[] },
  deciding: readonly Pick<ConversationMessage, "content">[],
): { has: (path: string) => boolean } {
  const folders = new Set<string>();
  for (const { path, role } of index.files)
    if (role === "source") for (const folder of foldersOf(path)) folders.add(folder);
  const asCode = (text: string) =>
    text.replaceAll(WORD, (word) => (folders.has(word.toLowerCase()) ? `\`${word}\`` : word));
  const names = deciding.flatMap(({ content }) => {
    const parts = content.split(CODE);
    const marked = parts.map((part, at) => (at % 2 === 0 ? asCode(part) : part)).join("");
    return placesMeant(marked).spared.map((name) => name.toLowerCase());
  });
  const keptFolders = new Set(names.filter((name) => folders.has(name)));
  const keptFiles = new Set(
    names.filter((name) => deciding.some(({ content }) => content.toLowerCase().includes(`\`${name}\``))),
  );
  return {
    has: (path) => {
      const stem = path.slice(path.lastIndexOf("/") + 1).replace(/\..*$/, "");
      return keptFiles.has(stem.toLowerCase()) || foldersOf(path).some((folder) => keptFolders.has(folder));
    },
  };
}

/** The folders of a path that are named after a topic, in lower case. */
function foldersOf(path: string): string[] {
  return path
    .toLowerCase()
    .split("/")
    .slice(0, -1)
    .filter((folder) => namesTopic(folder));
}
