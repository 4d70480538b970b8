import { classify } from "../../code/classify.ts";
import { FILES } from "./sensitive-files.ts";
import { CHANGES, KEYWORDS, TITLE_KEYWORDS, type Constraint } from "./sensitive-words.ts";

const LONGEST_TEXT = 64 * 1024;
const MOST_FILES_TOLD = 10;

/**
 * What forces HIGH risk and a person's review (R-TRI-1): words of the issue, kinds of change, and files. Each flag says
 * what, such as `file: .env.production (environment file)`.
 */
export function securityFlags(given: {
  title: string;
  prose: string;
  labels: readonly string[];
  paths: readonly string[];
}): string[] {
  const text = `${given.title}\n${given.labels.join("\n")}\n${given.prose}`.slice(0, LONGEST_TEXT);
  const inTitle = flagsIn(TITLE_KEYWORDS, given.title, "keyword");
  const inText = flagsIn(KEYWORDS, text, "keyword");
  const changes = flagsIn(CHANGES, text, "change");
  const files = given.paths.flatMap((path) => {
    const kind = FILES.find(({ pattern }) => pattern.test(path));
    // What describes such a file, or stands beside it as a test, changes nothing of it.
    const isHarmless =
      kind?.name.endsWith("code") === true && ["docs", "test", "example"].includes(classify(path).role);
    return kind === undefined || isHarmless ? [] : [`file: ${path} (${kind.name})`];
  });
  return [...inTitle, ...inText, ...changes, ...files.slice(0, MOST_FILES_TOLD)];
}

function flagsIn(constraints: readonly Constraint[], text: string, kind: string): string[] {
  return constraints.flatMap(({ name, pattern }) => {
    const found = pattern.exec(text)?.[0];
    return found === undefined ? [] : [`${kind}: ${found.toLowerCase()} (${name})`];
  });
}
