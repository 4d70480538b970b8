import { z } from "zod";
import { refused, type ExplorerTool } from "./answer.ts";
import { defineTool } from "./define-tool.ts";
import { pagingInput } from "./paging.ts";
import { shownPath, shownText } from "./sanitize.ts";
import { whyClosed, type FileAccess } from "./file-access.ts";

export type ImportLink =
  | { kind: "import"; specifier: string; line: number; files: string[] }
  | { kind: "importer"; path: string };

export interface ImportsOf {
  tool: "imports_of";
  path: string;
  links: ImportLink[];
}

const SPECIFIER_CHARACTERS = 200;
const FILES_SHOWN = 5;

const input = z.strictObject({
  path: z.string().min(1).max(5_000).describe("a file"),
  ...pagingInput({ results: 100, most: 500 }),
});

export function importsOf(fileAccess: FileAccess): ExplorerTool<ImportsOf> {
  return defineTool(fileAccess, {
    name: "imports_of",
    description:
      "Tells what a file imports, with the files that each import means (none for packages from outside), and then " +
      "which files import it. Use it to see what a change may reach. Imports made at run time are not seen; of an " +
      "import that means many files, five are named.",
    input,
    onTimeout: "ask for another file",
    async list({ path }) {
      const place = fileAccess.locate(path);
      if (place.kind === "refused") return place;
      if (place.kind === "folder") return refused(`${shownPath(place.path)} is a folder; give one of its files`);
      const name = shownPath(place.file.path);
      const closed = whyClosed(fileAccess.statusOf(place.file));
      if (closed !== null) return refused(`${name} ${closed}`);
      const imports = await fileAccess.index.imports(place.file.path);
      const importers = (await fileAccess.index.importers(place.file.path)).filter((each) => fileAccess.has(each));
      const links: ImportLink[] = [
        ...imports.map(({ specifier, line, files }) => ({
          kind: "import" as const,
          specifier: shownText(specifier, SPECIFIER_CHARACTERS),
          line,
          files: files
            .filter((file) => fileAccess.has(file))
            .slice(0, FILES_SHOWN)
            .map(shownPath),
        })),
        ...importers.map((importer) => ({ kind: "importer" as const, path: shownPath(importer) })),
      ];
      return {
        heading: `${name}: ${imports.length} imports, imported by ${importers.length} files`,
        found: links,
        row: (link: ImportLink) => link,
        show: showLink,
        data: (shown: ImportLink[]): ImportsOf => ({ tool: "imports_of", path: name, links: shown }),
        nothing: "No imports and no importers are known.",
      };
    },
  });
}

function showLink(link: ImportLink, before: ImportLink | undefined): string {
  const title = before?.kind === link.kind ? "" : link.kind === "import" ? "imports\n" : "imported by\n";
  if (link.kind === "importer") return `${title}  ${link.path}`;
  const files = link.files.length === 0 ? "" : ` -> ${link.files.join(", ")}`;
  return `${title}  ${link.line}: ${link.specifier}${files}`;
}
