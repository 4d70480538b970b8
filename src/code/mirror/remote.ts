import { RelayError } from "../../lib/errors.ts";
import type { CredentialSource } from "./credential.ts";

/** A repository somewhere else, to be kept as a bare mirror. */
export interface MirrorSource {
  /** `https://`, `http://`, `ssh://` or `file:///`, without password, query or fragment. */
  url: string;
  /** For http and https. A function is asked at each refresh, and once more when its credential was refused. */
  credential?: CredentialSource;
  /** Full names beside branches and tags, e.g. `refs/pull/12/head`; kept under the same name. */
  refs?: readonly string[];
  /** Allows `http://` to a host that is not this machine, without a credential. */
  plainHttp?: boolean;
}

/** An address that git may be given as it is. */
export interface Remote {
  /** Canonical, and fit to be shown. */
  url: string;
  protocol: "https" | "http" | "ssh" | "file";
  /** Scheme, host and port: whom a credential is for. */
  origin: string;
  /** On this machine. */
  local: boolean;
}

const HOST = /^(?:[A-Za-z0-9][A-Za-z0-9.-]*|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?$/;
const LOOPBACK = /^(?:localhost|127\.[0-9.]+|\[::1\])$/;
const USER = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
const REF = /^refs(?:\/[A-Za-z0-9_+-][A-Za-z0-9_.+-]*)+$/;

/**
 * Checks the address of a remote. Throws `RelayError` `usage` for a scheme that could run a program, for a credential
 * in the address (R-EXP-4), and for plain http to another machine. No message repeats what may be a secret.
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
  if (!hostFits || (user && !USER.test(url.username)) || /^\/*$/.test(url.pathname) || unfit(url.pathname)) {
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

/** Encoded control characters would become part of git's conversation with ssh or with the credential helper. */
function unfit(path: string): boolean {
  return /%(?:[01][0-9a-f]|7f)/i.test(path) || !/^[\x21-\x7e]*$/.test(path);
}

function checkRef(ref: string): void {
  const fits = ref.length <= 200 && REF.test(ref) && !ref.includes("..") && !/\.(?:lock)?(?:\/|$)/.test(ref);
  if (!fits) throw usage(`${JSON.stringify(ref.slice(0, 200))} is not the full name of a ref; write refs/pull/12/head`);
}

function usage(message: string): RelayError {
  return new RelayError("usage", message);
}
