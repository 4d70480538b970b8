// Prints what CHANGELOG.md says of the newest version, for the notes of a release: `npm run --silent notes`.
import { readFileSync } from "node:fs";
import { join } from "node:path";

const [, newest = ""] = readFileSync(join(import.meta.dirname, "../CHANGELOG.md"), "utf8").split(/^## .*\n/m);
process.stdout.write(`${newest.trim()}\n`);
