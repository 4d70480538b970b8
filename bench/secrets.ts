// How many shapes of secrets are found, and how often ordinary texts are taken for one (R-SAFE-7):
// `npm run bench:secrets -- FOLDER…`: repositories of others (this one is full of shapes). Fails beyond the bounds.
import { execFileSync } from "node:child_process";
import { classify } from "../src/code/classify.ts";
import { removeSecrets } from "../src/domain/text/secrets/remove-secrets.ts";
import { secretShapes } from "../test/cases/secret-shapes.ts";

/** Shares of shapes that are found, and of texts that are taken for a secret. */
const LEAST_FOUND = 57 / 60;
const MOST_FALSE = 0.01;
const MOST = { files: 150, commits: 50, bytes: 8_000_000 };

interface Count {
  texts: number;
  alarms: number;
  characters: number;
  ms: number;
}

const counts = new Map<string, Count>();

function look(kind: string, text: string): void {
  const count = counts.get(kind) ?? { texts: 0, alarms: 0, characters: 0, ms: 0 };
  const started = performance.now();
  const { found } = removeSecrets(text, { passwords: kind !== "tests" });
  counts.set(kind, {
    texts: count.texts + 1,
    alarms: count.alarms + (found.length > 0 ? 1 : 0),
    characters: count.characters + text.length,
    ms: count.ms + performance.now() - started,
  });
}

function git(folder: string, ...args: string[]): string {
  try {
    return execFileSync("git", ["-C", folder, ...args], {
      encoding: "utf8",
      maxBuffer: MOST.bytes,
      stdio: ["ignore", "pipe", "ignore"],
    });
  } catch {
    // Partial clones lack files, and some changes are too large.
    return "";
  }
}

function kindOf(path: string): string | null {
  const { role } = classify(path);
  if (role === "asset" || role === "minified" || role === "generated") return null;
  return role === "lock" ? "lock files" : role === "test" || role === "example" ? "tests" : "source files";
}

for (const folder of process.argv.slice(2)) {
  const files = git(folder, "ls-tree", "-r", "--name-only", "HEAD")
    .split("\n")
    .filter((path) => kindOf(path) !== null);
  const step = Math.max(1, Math.floor(files.length / MOST.files));
  for (const path of files.filter((one, at) => at % step === 0 || classify(one).role === "lock")) {
    const text = git(folder, "show", `HEAD:${path}`);
    if (!text.includes("\0")) look(kindOf(path) ?? "", text);
  }
  for (const commit of git(folder, "log", "--format=%H", `-${MOST.commits}`, "--no-merges")
    .split("\n")
    .filter(Boolean)) {
    const added = git(folder, "show", "--format=%s%n%b", commit)
      .split("\n")
      .filter((line) => line.startsWith("+"));
    look("changes", added.map((line) => line.slice(1)).join("\n"));
  }
}

const shapes = ["a", "b", "c"].flatMap((seed) => Object.entries(secretShapes(seed)));
const missed = shapes.filter(([, text]) => removeSecrets(text).found.length === 0);
console.log(
  `shapes found: ${shapes.length - missed.length} of ${shapes.length}`,
  missed.map(([name]) => name).join(", "),
);
for (const [kind, { texts, alarms, characters, ms }] of counts) {
  const share = ((100 * alarms) / texts).toFixed(2);
  console.log(
    `${kind}: ${alarms} of ${texts} taken for a secret (${share} %), ${((1_000 * ms) / characters).toFixed(2)} ms for 1,000 characters`,
  );
}
const all = [...counts.values()];
const sum = (of: "alarms" | "texts") => all.reduce((total, one) => total + one[of], 0);
const falseShare = sum("alarms") / Math.max(1, sum("texts"));
console.log(`all: ${(100 * falseShare).toFixed(2)} %`);
if (missed.length > shapes.length * (1 - LEAST_FOUND) || falseShare > MOST_FALSE) process.exitCode = 1;
