import { devNull } from "node:os";
import { environmentWith } from "../../lib/exec.ts";
import { credentialSettings } from "./credential.ts";
import { TRACE_DESCRIPTOR } from "./http-trace.ts";
import type { NetworkLimits } from "./network-git.ts";
import type { Remote } from "./source.ts";

/** What of the environment a git that fetches gets to see. Relay's own secrets and every `GIT_…` that redirects are not. */
const INHERITED: readonly string[] = [
  "PATH",
  "TMPDIR",
  // Ways through a company's network that the operator set up for the machine.
  "http_proxy",
  "https_proxy",
  "HTTPS_PROXY",
  "all_proxy",
  "ALL_PROXY",
  "no_proxy",
  "NO_PROXY",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "GIT_SSL_CAINFO",
  "GIT_SSL_CAPATH",
];
/** ssh finds its keys by these. For http they would lead to the operator's ~/.netrc. */
const INHERITED_FOR_SSH: readonly string[] = ["HOME", "USER", "LOGNAME", "SSH_AUTH_SOCK"];

/** Never asks, gives up on a dead connection after 60 s, and opens nothing that the host could use. */
const SSH_COMMAND = [
  "ssh -o BatchMode=yes -o ConnectTimeout=30 -o ServerAliveInterval=15 -o ServerAliveCountMax=4",
  "-o ForwardAgent=no -o ForwardX11=no -o ClearAllForwardings=yes -o PermitLocalCommand=no",
].join(" ");

/** Defects that old, honest repositories are full of and that harm nobody; every other one refuses the pack. */
const HARMLESS_DEFECTS = [
  "zeroPaddedFilemode",
  "zeroPaddedDate",
  "badTimezone",
  "badDate",
  "badDateOverflow",
  "multipleAuthors",
  "missingEmail",
  "badEmail",
  "missingNameBeforeEmail",
  "badName",
  "missingSpaceBeforeEmail",
  "missingSpaceBeforeDate",
] as const;

/** Settings on the command line come after, and so before, those of the mirror. */
export function networkSettings(remote: Remote, limits: NetworkLimits): string[] {
  return [
    ...credentialSettings(remote.origin),
    // http is not allowed beside https: a redirect would lead into the clear.
    "protocol.allow=never",
    `protocol.${remote.protocol}.allow=always`,
    "protocol.version=2",
    "core.askPass=",
    "core.fsmonitor=false",
    `core.hooksPath=${devNull}`,
    "submodule.recurse=false",
    "fetch.recurseSubmodules=false",
    "fetch.fsckObjects=true",
    ...HARMLESS_DEFECTS.map((defect) => `fetch.fsck.${defect}=ignore`),
    // Every object comes in a pack, so that the list of packs tells whether all are still there.
    "fetch.unpackLimit=1",
    "fetch.writeCommitGraph=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "http.followRedirects=initial",
    "http.sslVerify=true",
    "http.lowSpeedLimit=1",
    `http.lowSpeedTime=${limits.silentSeconds}`,
    ...(remote.protocol === "http" && remote.local ? ["http.proxy="] : []),
  ];
}

/** The whole environment of a git that fetches. */
export function networkEnvironment(remote: Remote): Record<string, string> {
  const names = new Set([...INHERITED, ...(remote.protocol === "ssh" ? INHERITED_FOR_SSH : [])]);
  const inherited = Object.entries(environmentWith({})).flatMap(([name, value]) =>
    value !== undefined && names.has(name) ? [[name, value]] : [],
  );
  return {
    HOME: devNull,
    ...Object.fromEntries(inherited),
    LC_ALL: "C",
    // The machine's and the user's settings could rewrite addresses, or store the credential.
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: devNull,
    GIT_ATTR_NOSYSTEM: "1",
    GIT_TERMINAL_PROMPT: "0",
    GIT_ASKPASS: "",
    GIT_NO_LAZY_FETCH: "1",
    GIT_NO_REPLACE_OBJECTS: "1",
    GIT_SSH_COMMAND: SSH_COMMAND,
    GIT_TRACE_CURL: String(TRACE_DESCRIPTOR),
    GIT_TRACE_CURL_NO_DATA: "1",
  };
}
