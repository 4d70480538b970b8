// Makes the next version from the changesets: `npm run version`. Whatever names the version follows.
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "..");
/** Files that name it, as `test/release.test.ts` checks. */
const NAMING = [
  "deploy/github/relay.yml",
  "deploy/gitlab/relay.gitlab-ci.yml",
  "deploy/kubernetes/relay.yaml",
  "docs/install.md",
  "docs/openapi.json",
  "src/cli/version.ts",
];

const before = versionNow();
const { status } = spawnSync(process.execPath, [join(root, "node_modules/@changesets/cli/bin.js"), "version"], {
  cwd: root,
  stdio: "inherit",
});
const now = versionNow();
if (status === 0 && now !== before) {
  const whole = new RegExp(String.raw`(?<![\d.])${before.replaceAll(".", String.raw`\.`)}(?![\d])`, "g");
  for (const file of NAMING) change(file, (text) => text.replaceAll(whole, now));
  // The package itself, at the top and among all packages; another package may have the same version.
  change("package-lock.json", (text) =>
    text.replaceAll(/("name": "relay",\s+"version": )"[^"]+"/g, (_, beginning: string) => `${beginning}"${now}"`),
  );
}
process.exitCode = status ?? 1;

function versionNow(): string {
  const [, version] = /"version": "([^"]+)"/.exec(readFileSync(join(root, "package.json"), "utf8")) ?? [];
  if (version === undefined) throw new Error("package.json has no version");
  return version;
}

function change(file: string, changed: (text: string) => string): void {
  const path = join(root, file);
  writeFileSync(path, changed(readFileSync(path, "utf8")));
}
