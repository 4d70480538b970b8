import { AsyncLocalStorage } from "node:async_hooks";

/*
 * The secrets that this process was configured with. Whatever reads one keeps it here, so that nothing that Relay writes
 * anywhere can show it, whoever wrote it (R-SAFE-3, R-SAFE-7). They never leave the process.
 */
const OWN = new Set<string>();
/** In characters: shorter ones stand in many texts by chance. */
const SHORTEST = 8;

/** Keeps a secret, and the lines of one that has several, such as a private key. */
export function keepSecret(secret: string): void {
  for (const line of secret.split(/\r?\n/)) {
    const value = line.trim();
    if (value.length >= SHORTEST && !value.startsWith("-----")) OWN.add(value);
  }
}

/** All that were kept. */
export function ownSecrets(): ReadonlySet<string> {
  return OWN;
}

const running = new AsyncLocalStorage<{ secrets: readonly string[] }>();

/**
 * Runs `work` on a repository whose protected files hold these values: nothing that is written meanwhile shows them
 * (R-SAFE-7). Within such work, those of a call count for the rest of it. Other work knows nothing of them.
 */
export async function withSecrets<T>(secrets: readonly string[], work: () => Promise<T>): Promise<T> {
  if (running.getStore() === undefined) return await running.run({ secrets }, work);
  alsoSecret(secrets);
  return await work();
}

/** Values that count for the rest of the running `withSecrets`; outside of one, nothing. */
export function alsoSecret(secrets: readonly string[]): void {
  const scope = running.getStore();
  if (scope === undefined || secrets.every((secret) => scope.secrets.includes(secret))) return;
  scope.secrets = scope.secrets.length === 0 ? secrets : [...new Set([...scope.secrets, ...secrets])];
}

/** The values of the running work; the same array while they are the same. */
export function secretsHere(): readonly string[] {
  return running.getStore()?.secrets ?? [];
}
