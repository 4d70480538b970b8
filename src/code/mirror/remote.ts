import { RelayError } from "../../lib/errors.ts";
import type { CredentialSource } from "./credential.ts";

export interface MirrorSource {
  /** `https://`, `http://`, `ssh://` or `file:///`, without password, query or fragment. */
  url: string;
  /** For http and https. A function is called at each refresh, and again when the server rejects its credential. */
  credential?: CredentialSource;
  /** Further full ref names, such as `refs/pull/12/head`, mirrored under the same name. */
  refs?: readonly string[];
  /** What an account needs to push there, as people call it; for messages. */
  pushNeeds?: string;
  /** Allows `http://` to other machines, without a credential. */
  plainHttp?: boolean;
}

/** A checked address that is safe to pass to git. */
export interface Remote {
  /** Canonical and safe to display. */
  url: string;
  protocol: "https" | "http" | "ssh" | "file";
  /** Scheme, host and port, which a credential is bound to. */
  origin: string;
  /** On this machine. */
  local: boolean;
}

const HOST = /^(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?$/;
const LOOPBACK = /^(?:localhost|127\.[0-9.]+|\[::1\])$/;
const USER = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
const REF = /^refs(?:\/[A-Za-z0-9_+-][A-Za-z0-9_.+-]*)+$/;

/**
 * Checks the address of a remote. Throws `RelayError` `usage` for a scheme that could run a program, a credential in
 * the address (R-EXP-4), or plain http to another machine. No message repeats a possible secret.
 */
export function parseRemote(source: MirrorSource): Remote {
  const url = URL.canParse(source.url) ? new URL(source.url) : null;
  const protocol = url === null ? null : protocolOf(url);
  if (url === null || protocol === null) {
    throw usage("the address of the repository is not one that is fetched; write https://, ssh:// or file:///");
  }
  const shown = `${url.protocol}//${url.host}${url.pathname}`;
  if (url.password || (url.username && protocol !== "ssh")) {
    throw usage(`the address ${shown} holds a credential; take it out and configure it as a token`);
  }
  if (url.search || url.hash) {
    throw usage(`the address ${shown} goes on after its path; take away what begins with ? or #`);
  }
  const user = url.username === "" ? "" : `${url.username}@`;
  const hostFits = protocol === "file" ? url.host === "" : HOST.test(url.host);
  if (
    !hostFits ||
    (user && !USER.test(url.username)) ||
    /^\/*$/.test(url.pathname) ||
    hasUnsafeCharacters(url.pathname)
  ) {
    throw usage(`${JSON.stringify(shown)} is not the address of a repository; write scheme://host/path`);
  }
  const local = protocol === "file" || LOOPBACK.test(url.hostname);
  if (protocol === "http" && !local && !source.plainHttp) {
    throw usage(`${shown} would be fetched in the clear; use https`);
  }
  if (source.credential && protocol !== "https" && !(protocol === "http" && local)) {
    throw usage(`no credential is sent to ${shown}; use https, or take the credential away`);
  }
  for (const ref of source.refs ?? []) checkRef(ref);
  const host = url.host.toLowerCase();
  return {
    url: `${protocol}://${user}${host}${url.pathname}`,
    protocol,
    origin: `${protocol}://${host}`,
    local,
  };
}

function protocolOf(url: URL): Remote["protocol"] | null {
  switch (url.protocol) {
    case "https:":
      return "https";
    case "http:":
      return "http";
    case "ssh:":
      return "ssh";
    case "file:":
      return "file";
    default:
      return null;
  }
}

/** Encoded control characters would end up in git's protocol with ssh or the credential helper. */
function hasUnsafeCharacters(path: string): boolean {
  return /%(?:[01][0-9a-f]|7f)/i.test(path) || !/^[\x21-\x7e]*$/.test(path);
}

function checkRef(ref: string): void {
  const fits = ref.length <= 200 && REF.test(ref) && !ref.includes("..") && !/\.(?:lock)?(?:\/|$)/.test(ref);
  if (!fits) throw usage(`${JSON.stringify(ref.slice(0, 200))} is not the full name of a ref; write refs/pull/12/head`);
}

function usage(message: string): RelayError {
  return new RelayError("usage", message);
}
