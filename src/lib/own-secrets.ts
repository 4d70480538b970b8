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
