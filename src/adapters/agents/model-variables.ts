import type { Start } from "./preset.ts";

/** The variables with which agents that talk to many providers are given keys and addresses. */
export const MODEL_VARIABLES = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_BASE_URL",
  "OPENAI_API_KEY",
  "OPENAI_BASE_URL",
  "GEMINI_API_KEY",
  "GOOGLE_GEMINI_BASE_URL",
] as const;

export const MODEL_HOSTS = ["api.anthropic.com", "api.openai.com", "generativelanguage.googleapis.com"] as const;

/** The address of a provider as its own SDK wants it: without a version for none of them. Null for the provider's own. */
export function versionedAddress({ environment, model }: Pick<Start, "environment" | "model">): string | null {
  switch (model?.provider) {
    case "anthropic":
      return withVersion(environment["ANTHROPIC_BASE_URL"], "v1");
    case "google":
      return withVersion(environment["GOOGLE_GEMINI_BASE_URL"], "v1beta");
    default:
      return environment["OPENAI_BASE_URL"] ?? null;
  }
}

/** The name of the variable that holds the provider's key. */
export function keyVariable(provider: string): string {
  if (provider === "anthropic") return "ANTHROPIC_API_KEY";
  return provider === "google" ? "GEMINI_API_KEY" : "OPENAI_API_KEY";
}

/** Anthropic's and Google's own programs add the version themselves; others want it in the address. */
function withVersion(address: string | undefined, version: string): string | null {
  if (address === undefined || address === "") return null;
  const bare = address.replace(/\/+$/, "");
  return /\/v\d\w*$/.test(bare) ? bare : `${bare}/${version}`;
}
