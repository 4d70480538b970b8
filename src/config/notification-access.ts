import type { NoticeAddress } from "../domain/notice.ts";
import { RelayError } from "../lib/errors.ts";
import { type Environment, readSecret } from "../lib/secret-variable.ts";
import type { NotificationSettings } from "./notification-settings.ts";

const SHORTEST_KEY = 24;
const MOST_KEYS = 2;

/**
 * The address of a target and the keys that sign what is sent there. They come from the environment, and are part of no
 * configuration that is shown (R-SAFE-3). Throws `config` with the name of a missing or unusable variable.
 */
export function noticeAddress(target: NotificationSettings, env: Environment): NoticeAddress {
  const { name, kind, url, url_env: variable, secret_env: secret } = target;
  const address = url ?? urlIn(variable ?? "", name, env);
  return { kind, url: address, keys: secret === undefined ? [] : keysIn(secret, name, env) };
}

function urlIn(variable: string, target: string, env: Environment): string {
  const value = required(variable, `the address of the notifications to “${target}”`, env);
  const url = URL.parse(value);
  if (url !== null && /^https?:$/.test(url.protocol) && url.username + url.password === "") return value;
  throw new RelayError("config", `${variable} holds no address like https://hooks.example.org/relay`);
}

/** One key, or two while it is replaced: the newer first. */
function keysIn(variable: string, target: string, env: Environment): Uint8Array[] {
  const value = required(variable, `the secret that signs the notifications to “${target}”`, env);
  const secrets = value.split(/\s+/);
  const keys = secrets.map((secret) =>
    /^whsec_[A-Za-z0-9+/]+={0,2}$/.test(secret) ? Buffer.from(secret.slice("whsec_".length), "base64") : null,
  );
  const usable = keys.filter((one) => one !== null && one.length >= SHORTEST_KEY);
  if (usable.length === keys.length && keys.length <= MOST_KEYS) return usable.filter((one) => one !== null);
  throw new RelayError(
    "config",
    `${variable} must hold a secret like whsec_…, or two of them; make one with \`echo "whsec_$(openssl rand -base64 32)"\``,
  );
}

function required(variable: string, what: string, env: Environment): string {
  const value = readSecret(variable, env);
  if (value !== null) return value;
  throw new RelayError("config", `${variable} is not set, and should hold ${what}; set it, or ${variable}_FILE`);
}
