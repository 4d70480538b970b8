/** Replaces a secret. */
export const SECRET_REMOVED = "[secret removed]";

interface SecretShape {
  name: string;
  pattern: RegExp;
  /** Replaces the match if more than the bare replacement must stay readable. */
  replacement?: string;
}

/**
 * Shapes of well-known credentials. Every pattern runs in linear time on any input: repetitions are bounded or can
 * only begin where a run of their characters begins, and none are nested.
 */
const SHAPES: readonly SecretShape[] = [
  {
    name: "private key",
    pattern: /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|$)/g,
  },
  {
    name: "password in a URL",
    pattern: /\b([a-z][a-z0-9+.-]{1,20}:\/\/)[^\s:@/?#]{0,200}:[^\s@/]{1,200}@/gi,
    replacement: `$1${SECRET_REMOVED}`,
  },
  { name: "AWS access key", pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Za-z0-9])/g },
  {
    name: "AWS secret key",
    pattern: /(aws_secret_access_key["']?\s{0,3}[=:]\s{0,3}["']?)[A-Za-z0-9/+]{40}/gi,
    replacement: `$1${SECRET_REMOVED}`,
  },
  { name: "GitHub token", pattern: /(?<![A-Za-z0-9])(?:gh[oprsu]_[A-Za-z0-9]{30,255}|github_pat_\w{22,255})/g },
  {
    name: "GitLab token",
    pattern: /(?<![A-Za-z0-9])(?:gl(?:pat|dt|rt|cbt|ptt|soat|ft|imt|agent|oas)-[\w-]{16,255}|GR1348941[\w-]{20,255})/g,
  },
  { name: "Anthropic key", pattern: /(?<![A-Za-z0-9])sk-ant-[\w-]{16,255}/g },
  { name: "Stripe key", pattern: /(?<![A-Za-z0-9])(?:[rs]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,255}/g },
  // Requires a digit: file and package names use the same letters and hyphens.
  { name: "API key", pattern: /(?<![A-Za-z0-9_-])sk-(?=[A-Za-z_-]{0,200}[0-9])[\w-]{20,255}/g },
  { name: "Slack token", pattern: /(?<![A-Za-z0-9])(?:xox[abeoprs]|xapp)-[A-Za-z0-9-]{10,255}/g },
  { name: "Slack webhook", pattern: /hooks\.slack\.com\/(?:services|workflows)\/[A-Za-z0-9/]{20,255}/g },
  { name: "Google key", pattern: /(?<![A-Za-z0-9])(?:AIza[\w-]{35}|GOCSPX-[\w-]{28}|ya29\.[\w-]{20,255})/g },
  { name: "npm token", pattern: /(?<![A-Za-z0-9])npm_[A-Za-z0-9]{36}/g },
  { name: "PyPI token", pattern: /(?<![A-Za-z0-9])pypi-[\w-]{50,255}/g },
  { name: "Docker token", pattern: /(?<![A-Za-z0-9])dckr_(?:pat|oat)_[\w-]{20,255}/g },
  { name: "Hugging Face token", pattern: /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,255}/g },
  { name: "DigitalOcean token", pattern: /(?<![A-Za-z0-9])do[opr]_v1_[a-f0-9]{64}/g },
  { name: "SendGrid key", pattern: /(?<![A-Za-z0-9])SG\.[\w-]{16,64}\.[\w-]{16,64}/g },
  { name: "JSON web token", pattern: /(?<![\w-])eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g },
  {
    name: "authorization header",
    pattern: /\b((?:Bearer|Basic)[ \t]{1,3})(?=[A-Za-z._~+/-]{0,200}[0-9])[\w.~+/-]{16,4000}={0,2}/gi,
    replacement: `$1${SECRET_REMOVED}`,
  },
];

/** Replaces credentials of well-known shapes (R-SAFE-2); `found` lists their kinds, never their values. */
export function removeSecrets(text: string): { text: string; found: string[] } {
  const found: string[] = [];
  let clean = text;
  for (const { name, pattern, replacement } of SHAPES) {
    const next = clean.replaceAll(pattern, replacement ?? SECRET_REMOVED);
    if (next !== clean) found.push(name);
    clean = next;
  }
  return { text: clean, found };
}
