import { below, folderOf, joined } from "../known-paths.ts";
import type { Tree } from "../tree.ts";

/** Sheets of style: beside the file, with the endings and the underscore of Sass, or a package of this tree. */
export function resolveStyles(tree: Tree, from: string, specifier: string): string | null {
  const written = specifier.replace(/^~/, "").replace(/(?<=.)[?#][^]*$/, "");
  if (written.startsWith("/")) return tree.paths.first([written.slice(1), `public${written}`]);
  const path = joined(folderOf(from), written);
  if (path === null || path === "") return null;
  const partial = below(folderOf(path), `_${path.slice(path.lastIndexOf("/") + 1)}`);
  const endings = ["", ".css", ".scss", ".sass", ".less"];
  const candidates = [path, partial].flatMap((stem) => endings.map((ending) => stem + ending));
  return tree.paths.first([
    ...candidates,
    `${path}/_index.scss`,
    `${path}/index.scss`,
    `${path}/_index.sass`,
    `${path}/index.css`,
  ]);
}
