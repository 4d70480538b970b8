import type { Tree } from "../tree.ts";
import { filesOfFolder } from "./folder-files.ts";

const LONGEST_NAME = 30;
const JVM_ENDINGS = [".java", ".kt", ".scala", ".groovy", ".kts"];
const JVM_CODE = /\.(?:java|kts?|scala|groovy)$/;

/** Java, Kotlin, Scala, Groovy: by the path of the package; a member or an inner class leads to its class. */
export function resolveJvm(tree: Tree, from: string, specifier: string): string[] {
  const names = specifier.split(".");
  if (names.length > LONGEST_NAME) return [];
  const wildcard = names.at(-1) === "*";
  if (wildcard) names.pop();
  // A class is rarely deeper than two names before the end: a member of an inner class.
  for (let count = names.length; count > 0 && count >= names.length - 2; count -= 1) {
    const path = names.slice(0, count).join("/");
    for (const ending of JVM_ENDINGS) {
      const found = tree.paths.endingIn(path + ending, from)[0];
      if (found !== undefined && (count > 1 || names.length === 1)) return [found];
    }
    if (wildcard && count === names.length) {
      const files = filesOfFolder(tree, path, from, JVM_CODE);
      if (files.length > 0) return files;
    }
  }
  return [];
}
