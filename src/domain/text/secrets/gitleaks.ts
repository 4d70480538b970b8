import { entropyOf, isMadeUp, isRandom } from "./credible.ts";
import rules from "./gitleaks-rules.json" with { type: "json" };
import type { SecretShape } from "./secret-shape.ts";

/**
 * The rules of gitleaks (R-SAFE-7), a set that is kept up by many: credentials by their look, and values that stand
 * beside the name of a service. `bench/gitleaks-rules.ts` makes the file. Each pattern runs in linear time.
 */
const byLook: SecretShape[] = rules.shapes.map(({ id, pattern, flags, keywords, entropy }) => ({
  name: id,
  pattern: new RegExp(pattern, `g${flags}`),
  keywords,
  fits: (value) => entropyOf(value) >= entropy,
}));

const byName: SecretShape[] = rules.named.map(({ name, value, entropy }) => ({
  name: "key of a service",
  isPassword: true,
  pattern: new RegExp(
    `(?:${name})(?:[ \\t\\w.-]{0,20})[\\s'"]{0,3}(?:=|>|:{1,3}=|\\|\\||:|=>|\\?=|,)[\`'"\\s=]{0,5}(?<secret>${value})(?=[\`'"\\s;]|\\\\[nr]|$)`,
    "gi",
  ),
  keywords: name
    .toLowerCase()
    .replaceAll(/\(\?:|[)[\]]|\(|\?/g, "")
    .split("|")
    .map((word) => /^[a-z]+/.exec(word)?.[0] ?? ""),
  fits: (found) => entropyOf(found) >= entropy && isRandom(found) && !isMadeUp(found),
}));

export const GITLEAKS: readonly SecretShape[] = [...byLook, ...byName];
