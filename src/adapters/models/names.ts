/** Whom a model name may begin with: `provider/name`. */
export const PROVIDERS = ["anthropic", "openai", "google", "openai-compatible"] as const;
export type Provider = (typeof PROVIDERS)[number];

export interface ModelName {
  provider: Provider;
  /** As the provider knows it; may hold slashes and colons (`openai-compatible/qwen/qwen3:32b`). */
  name: string;
}

const NAME_LIMIT = 200;

/** Splits `provider/name`; null where it is not one. */
export function parseModelName(text: string): ModelName | null {
  const slash = text.indexOf("/");
  const provider = PROVIDERS.find((known) => known === text.slice(0, slash));
  const name = text.slice(slash + 1);
  if (slash < 1 || provider === undefined || !/^[\w.:@/+-]+$/.test(name) || name.length > NAME_LIMIT) return null;
  return { provider, name };
}
