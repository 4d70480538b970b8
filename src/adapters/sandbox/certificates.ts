import { X509Certificate } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { rootCertificates } from "node:tls";
import { messageOf } from "../../lib/errors.ts";

/** A file or folder of certificates, as the operator named it. */
export interface NamedCertificates {
  path: string;
  /** The setting or variable that names it. */
  from: string;
}

/** Certificates of authorities that programs trust besides the public ones (R-WORK-16). */
export interface TrustedCertificates {
  /** Certificates that the operator named, each once, in PEM. */
  named: readonly string[];
  /** Files that were left out, and why, one sentence each. */
  problems: readonly string[];
}

/**
 * Variables by which Node, OpenSSL (with Go, Ruby, PHP and .NET), Python, pip, git, Cargo and curl find certificates.
 */
export const CERTIFICATE_VARIABLES = [
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "REQUESTS_CA_BUNDLE",
  "PIP_CERT",
  "GIT_SSL_CAINFO",
  "CARGO_HTTP_CAINFO",
  "CURL_CA_BUNDLE",
] as const;

const CERTIFICATE = /-----BEGIN (?:X509 )?CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END (?:X509 )?CERTIFICATE-----/g;
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY/;
const MOST_BYTES = 4 * 1024 * 1024;
const MOST_FILES = 2_000;
/** The system's own list: Debian and Alpine, Red Hat, SUSE. */
const SYSTEM = [
  "/etc/ssl/certs/ca-certificates.crt",
  "/etc/pki/tls/certs/ca-bundle.crt",
  "/etc/ssl/ca-bundle.pem",
  "/etc/ssl/cert.pem",
];

/**
 * Reads the certificates that the operator named. Leaves out a file that also has a private key, and everything but
 * valid certificates in the others. Never throws.
 */
export async function readCertificates(wanted: readonly NamedCertificates[]): Promise<TrustedCertificates> {
  const named = new Set<string>();
  const problems: string[] = [];
  for (const { path, from } of wanted) {
    try {
      const isFolder = (await stat(path)).isDirectory();
      const files = isFolder ? (await readdir(path)).slice(0, MOST_FILES).map((name) => join(path, name)) : [path];
      for (const file of files) {
        const { found, problem } = await certificatesOf(file);
        for (const each of found) named.add(each);
        // A folder may hold other files too.
        if (problem !== null && !(isFolder && problem === NOTHING)) problems.push(`${file} (${from}) ${problem}`);
      }
    } catch (error) {
      problems.push(`${path} (${from}) cannot be read (${messageOf(error)}); correct the path`);
    }
  }
  return { named: [...named], problems };
}

const KEY = "has a private key, and is not shown to programs; name a file with certificates alone";
const NOTHING = "has no certificate in PEM form (BEGIN CERTIFICATE); convert it, or name another file";

async function certificatesOf(file: string): Promise<{ found: string[]; problem: string | null }> {
  const facts = await stat(file);
  if (!facts.isFile() || facts.size > MOST_BYTES) return { found: [], problem: NOTHING };
  const text = await readFile(file, "latin1");
  if (PRIVATE_KEY.test(text)) return { found: [], problem: KEY };
  const found = [...text.matchAll(CERTIFICATE)].flatMap(([, body = ""]) => validCertificate(body) ?? []);
  return { found, problem: found.length === 0 ? NOTHING : null };
}

/** The certificate, in the form that all programs read; null where it is none. */
function validCertificate(body: string): string | null {
  try {
    return new X509Certificate(Buffer.from(body, "base64")).toString().trim();
  } catch {
    return null;
  }
}

/** One file for all variables. Most of them replace the public authorities, so it has these too; each once. */
export async function certificateBundle(named: readonly string[]): Promise<string> {
  for (const path of SYSTEM) {
    const { found } = await certificatesOf(path).catch(() => ({ found: [] }));
    if (found.length > 0) return bundleOf([...named, ...found]);
  }
  return bundleOf([...named, ...rootCertificates]);
}

function bundleOf(certificates: readonly string[]): string {
  return `${[...new Set(certificates.map((each) => each.trim()))].join("\n")}\n`;
}
