import { scanLines } from "../imports/line-form.ts";
import type { Tree } from "../imports/tree.ts";
import type { Language } from "./language.ts";

export const PROTOBUF: Language = {
  names: ["protobuf"],
  scanImports: scanLines({
    pattern: /^[ \t]*(?:(?<comment>\/\*)|import[ \t]+(?:(?:public|weak)[ \t]+)?"(?<name>[^"\n]{1,300})")/gm,
  }),
  resolveImport: resolveProtobuf,
};

/** Any path with that suffix. */
function resolveProtobuf(tree: Tree, from: string, specifier: string): string[] {
  return tree.paths.endingIn(specifier, from).slice(0, 1);
}
