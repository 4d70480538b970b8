import { readFileSync } from "node:fs";
import { RelayError, messageOf } from "./errors.ts";
import { keepSecret } from "./own-secrets.ts";

export type Environment = Record<string, string | undefined>;

const SIZE_LIMIT = 64 * 1024;

/** The variable `name`, or the text of the file that `name_FILE` names; null if neither is set. Throws `config`. */
export function readSecret(name: string, env: Environment): string | null {
  const direct = env[name]?.trim() ?? "";
  const file = env[`${name}_FILE`] ?? "";
  if (direct !== "" && file !== "") {
    throw new RelayError("config", `${name} and ${name}_FILE are both set; unset one of them`);
  }
  if (direct !== "") keepSecret(direct);
  if (direct !== "") return direct;
  return file === "" ? null : readSecretFile(file, `${name}_FILE`);
}

/** The trimmed text of a file. `namedBy`: the variable or the key that names it, for errors. */
export function readSecretFile(file: string, namedBy: string): string {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (cause) {
    throw new RelayError(
      "config",
      `cannot read ${file}, which ${namedBy} names: ${messageOf(cause)}; check that it exists and that this account may read it`,
      { cause },
    );
  }
  const secret = text.trim();
  if (secret === "") throw new RelayError("config", `${file}, which ${namedBy} names, is empty`);
  if (secret.length > SIZE_LIMIT)
    throw new RelayError("config", `${file}, which ${namedBy} names, is no secret but too long`);
  keepSecret(secret);
  return secret;
}
