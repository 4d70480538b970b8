// Makes src/domain/text/secrets/gitleaks-rules.json from the rules of gitleaks (MIT), as JavaScript reads them:
// `node bench/gitleaks-rules.ts COMMIT < config/gitleaks.toml`, from a clone of https://github.com/gitleaks/gitleaks.
import { readFileSync, writeFileSync } from "node:fs";
import { parse } from "smol-toml";
import { z } from "zod";

const rules = z
  .object({
    rules: z.array(
      z.object({
        id: z.string(),
        regex: z.string().optional(),
        entropy: z.number().default(0),
        keywords: z.array(z.string()).default([]),
      }),
    ),
  })
  .parse(parse(readFileSync(0, "utf8"))).rules;

/** What is assigned to a name: `(?i)[\w.-]{0,50}?(?:NAME)(?:[ \t\w.-]{0,20})… = (VALUE)…`. */
const NAMED =
  /\(\?:((?:[^()]|\((?:[^()]|\([^()]*\))*\))+)\)\(\?:\[ \\t\\w\.-\]\{0,20\}\).*?\{0,5\}(\(.*\))\(\?:\[\\x60'"\\s;\]\|\\\\\[nr\]\|\$\)$/;
/** Ids and keys that are public, and rules that Relay has in another form or that are not linear. */
const LEFT_OUT =
  /^hashicorp-tf-password|client-id|access-id|api-id$|pub(?:lic)?-|^generic|^private-key$|^curl-|^kubernetes-|^jwt|^sourcegraph|^facebook-access/;

const plain = (regex: string): string =>
  regex
    .replaceAll(/\(\?-?i\)/g, "")
    .replaceAll(/\(\?-?i:/g, "(?:")
    .replaceAll(/\(\?P<\w+>/g, "(?:")
    .replaceAll("[[:alnum:]]", "[A-Za-z0-9]")
    .replaceAll(String.raw`\z`, "$")
    // What follows is no part of it, and may be any sign of a sentence.
    .replace(/\(\?:\[\\x60'"\\s;\]\|\\\\\[nr\]\|\$(?:\|\\b)?\)$/, "(?![A-Za-z0-9])");

const shapes: { id: string; pattern: string; flags: string; keywords: string[]; entropy: number }[] = [];
const named: { name: string; value: string; entropy: number }[] = [];
const seen = new Set<string>();
for (const { id, regex, entropy, keywords } of rules) {
  if (regex === undefined || LEFT_OUT.test(id)) continue;
  const [, name, value] = NAMED.exec(regex) ?? [];
  if (name !== undefined && value !== undefined && !regex.includes("|\\b(")) {
    if (seen.has(`${name} ${value}`)) continue;
    seen.add(`${name} ${value}`);
    named.push({ name: plain(name), value: plain(value).slice(1, -1), entropy });
  } else if (!regex.includes("[ \\t\\w.-]"))
    shapes.push({ id, pattern: plain(regex), flags: /\(\?i/.test(regex) ? "i" : "", keywords, entropy });
}
const [commit = ""] = process.argv.slice(2);
const source = `https://github.com/gitleaks/gitleaks/blob/${commit}/config/gitleaks.toml, MIT, Copyright (c) 2019 Zachary Rice`;
const path = new URL("../src/domain/text/secrets/gitleaks-rules.json", import.meta.url);
writeFileSync(path, `${JSON.stringify({ source, shapes, named }, null, 2)}\n`);
