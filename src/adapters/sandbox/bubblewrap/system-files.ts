import { lstat, readdir, readlink } from "node:fs/promises";

/** A part of the system that the sandbox shows. */
export type SystemEntry = { kind: "folder"; path: string } | { kind: "link"; path: string; to: string };

const ROOTS = ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/** What programs need of /etc. No keys: as root, Relay could read /etc/ssl/private and the like. */
const SETTINGS = [
  "/etc/alternatives",
  "/etc/ca-certificates",
  "/etc/ca-certificates.conf",
  "/etc/ld.so.cache",
  "/etc/ld.so.conf",
  "/etc/ld.so.conf.d",
  "/etc/localtime",
  "/etc/mime.types",
  "/etc/os-release",
  "/etc/pki/ca-trust/extracted",
  "/etc/pki/tls/cert.pem",
  "/etc/pki/tls/certs",
  "/etc/protocols",
  "/etc/services",
  "/etc/ssl/cert.pem",
  "/etc/ssl/certs",
  "/etc/ssl/openssl.cnf",
  "/etc/timezone",
];

/** Settings of languages, whose folders carry a version: /etc/java-17-openjdk. */
const LANGUAGES = /^(?:java|perl|php|python|ruby)[\w.-]*$/;

/** The system's programs, libraries and public settings, as far as this machine has them. */
export async function systemEntries(): Promise<SystemEntry[]> {
  const languages = (await readdir("/etc")).filter((name) => LANGUAGES.test(name)).map((name) => `/etc/${name}`);
  const entries: SystemEntry[] = [];
  for (const path of [...ROOTS, ...SETTINGS, ...languages]) {
    const found = await lstat(path).catch(() => null);
    if (found === null) continue;
    // /bin is a link to usr/bin on most systems of today, and has to stay one.
    if (found.isSymbolicLink()) entries.push({ kind: "link", path, to: await readlink(path) });
    else entries.push({ kind: "folder", path });
  }
  return entries;
}

const SENSITIVE = [
  "kallsyms",
  "kcore",
  "keys",
  "kmsg",
  "kpagecgroup",
  "kpagecount",
  "kpageflags",
  "slabinfo",
  "timer_list",
];

/** Files of /proc that reveal memory and keys of the whole machine, as far as they exist. */
export async function sensitiveProcFiles(): Promise<string[]> {
  const there = new Set(await readdir("/proc"));
  return SENSITIVE.filter((name) => there.has(name)).map((name) => `/proc/${name}`);
}

/** Users, groups and hosts of the sandbox: nothing of this machine. */
export const OWN_SETTINGS: readonly { path: string; text: string }[] = [
  {
    path: "/etc/passwd",
    text: "relay:x:1000:1000:relay:/run/relay/home:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n",
  },
  { path: "/etc/group", text: "relay:x:1000:\nnogroup:x:65534:\n" },
  { path: "/etc/hosts", text: "127.0.0.1 localhost relay\n::1 localhost\n" },
  { path: "/etc/nsswitch.conf", text: "passwd: files\ngroup: files\nhosts: files\n" },
];
