import type { ModelRoute } from "../adapters/sandbox/sandbox.ts";

interface Key {
  variable: string;
  /** The variable that names the server's address to an agent. */
  address: string;
  usual: string;
  headers: (key: string) => Record<string, string>;
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });

/** Keys that Relay can keep outside: where an agent finds its server by a variable, and how a key is shown there. */
const KEYS: readonly Key[] = [
  {
    variable: "ANTHROPIC_API_KEY",
    address: "ANTHROPIC_BASE_URL",
    usual: "https://api.anthropic.com",
    headers: (key) => ({ "x-api-key": key }),
  },
  {
    variable: "ANTHROPIC_AUTH_TOKEN",
    address: "ANTHROPIC_BASE_URL",
    usual: "https://api.anthropic.com",
    headers: bearer,
  },
  {
    // Of a subscription; by itself Claude Code adds what else the server wants to see with it.
    variable: "CLAUDE_CODE_OAUTH_TOKEN",
    address: "ANTHROPIC_BASE_URL",
    usual: "https://api.anthropic.com",
    headers: bearer,
  },
  { variable: "OPENAI_API_KEY", address: "OPENAI_BASE_URL", usual: "https://api.openai.com/v1", headers: bearer },
  {
    variable: "GEMINI_API_KEY",
    address: "GOOGLE_GEMINI_BASE_URL",
    usual: "https://generativelanguage.googleapis.com",
    headers: (key) => ({ "x-goog-api-key": key }),
  },
];

/** What stands where an agent looks for its key. */
const KEPT_OUTSIDE = "kept-outside-by-relay";

/**
 * How an agent reaches its model without its key: the sandbox adds that to each request (R-WORK-5). `variables` are
 * those that the agent reads; keys that only it could use are passed where the operator names them.
 */
export function agentKeys(
  variables: readonly string[],
  env: Record<string, string | undefined>,
): { models: ModelRoute[]; environment: Record<string, string> } {
  const models: ModelRoute[] = [];
  const environment: Record<string, string> = {};
  for (const { variable, address, usual, headers } of KEYS) {
    const key = env[variable]?.trim();
    if (key === undefined || key === "" || !variables.includes(variable)) continue;
    if (models.some((route) => route.variable === address)) continue;
    const url = env[address]?.trim();
    models.push({ variable: address, url: url === undefined || url === "" ? usual : url, headers: headers(key) });
    environment[variable] = KEPT_OUTSIDE;
  }
  return { models, environment };
}
