import { anthropic } from "./anthropic.ts";
import { google } from "./google.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import { openai } from "./openai.ts";
import type { ModelProvider } from "./provider.ts";

/** The providers that a model's name may begin with: a file and a line each. */
export const MODEL_PROVIDERS = [anthropic, openai, google, openaiCompatible] as const;

export type Provider = (typeof MODEL_PROVIDERS)[number]["name"];
export const PROVIDERS: readonly Provider[] = MODEL_PROVIDERS.map(({ name }) => name);

/** In place of a model: the rules do the work. */
export const OFFLINE = "offline";

const NAME_LIMIT = 200;
const NAME = `[\\w.:@/+-]{1,${NAME_LIMIT}}`;

/** A model's name, or `offline`. */
export const MODEL_PATTERN = new RegExp(`^(?:${OFFLINE}|(?:${PROVIDERS.join("|")})\\/${NAME})$`);

/** The providers in a sentence. */
export const PROVIDER_LIST = `${PROVIDERS.slice(0, -1).join(", ")} or ${PROVIDERS.at(-1)}`;

export interface ModelName {
  provider: Provider;
  /** As the provider knows it; may hold slashes and colons. */
  name: string;
}

/** A model, and how to reach it. */
export interface ModelConnection extends ModelName {
  /** Null for servers that want none. */
  apiKey: string | null;
  /** Null for the provider's own address. */
  baseUrl: string | null;
}

/** Splits `provider/name`; null for anything else. */
export function parseModelName(text: string): ModelName | null {
  const slash = text.indexOf("/");
  const provider = PROVIDERS.find((known) => known === text.slice(0, slash));
  const name = text.slice(slash + 1);
  return provider !== undefined && MODEL_PATTERN.test(text) ? { provider, name } : null;
}

/** What Relay knows of a provider. Throws `RangeError` for one that is not in the registry. */
export function providerOf(name: string): ModelProvider {
  const found = MODEL_PROVIDERS.find((provider) => provider.name === name);
  if (found === undefined) throw new RangeError(`no provider of models is called ${name}`);
  return found;
}
