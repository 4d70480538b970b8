import { resolve } from "node:path";
import { CERTIFICATE_VARIABLES, type NamedCertificates } from "../adapters/sandbox/certificates.ts";
import type { Config } from "./schema.ts";

/** The certificates that the operator named, in `work.certificates` or for Relay itself; absolute paths (R-WORK-16). */
export function certificatesNamed(
  { certificates }: Pick<Config["work"], "certificates">,
  env: Record<string, string | undefined>,
): NamedCertificates[] {
  const variables = [...CERTIFICATE_VARIABLES, "SSL_CERT_DIR"].flatMap((from) =>
    // SSL_CERT_DIR may name several, as PATH does.
    (env[from] ?? "").split(":").map((path) => ({ path, from })),
  );
  const named = [...certificates.map((path) => ({ path, from: "work.certificates" })), ...variables];
  const given = named.filter(({ path }) => path.trim() !== "").map(({ path, from }) => ({ path: resolve(path), from }));
  return given.filter(({ path }, at) => given.findIndex((other) => other.path === path) === at);
}
