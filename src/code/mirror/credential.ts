import { removeSecrets } from "../../domain/text/secrets/remove-secrets.ts";
import { RelayError } from "../../lib/errors.ts";

export interface Credential {
  readonly username: string;
  readonly password: string;
}

/** A credential, or a function that returns one; `refused` means that the server rejected the previous one. */
export type CredentialSource = Credential | ((why: "first" | "refused") => Credential | Promise<Credential>);

/** The file descriptor from which git's credential helper reads the credential. */
export const CREDENTIAL_DESCRIPTOR = 3;

/**
 * Settings that let git read a credential from an inherited pipe, for one scheme, host and port.
 *
 * A pipe exposes a secret least: arguments show in the process list, files persist, the environment reaches every child
 * process, /proc and crash reports, and `http.extraHeader` follows redirects to other hosts. A pipe can be read once,
 * and git calls the helper only for addresses, after redirects, of the origin in the setting's name. The first, empty
 * helper removes those of the machine's configuration, which might store the credential.
 */
export function credentialSettings(origin: string): string[] {
  const read = `!relay() { test "$1" = get && cat <&${CREDENTIAL_DESCRIPTOR}; true; }; relay`;
  return ["credential.helper=", `credential.${origin}.helper=${read}`];
}

/** The output of the helper. Throws `RelayError` `usage` for a credential with line breaks. */
export function credentialLines(credential: Credential): string {
  if (!fitsLine(credential.username) || !fitsLine(credential.password) || credential.password === "") {
    throw new RelayError("usage", "the credential is empty or holds a line break; configure the token on one line");
  }
  return `username=${credential.username}\npassword=${credential.password}\n`;
}

function fitsLine(text: string): boolean {
  return !/[\n\r\0]/.test(text);
}

/** Removes the credential from git's output in every encoding that git uses, and anything else that looks secret. */
export function scrubbed(text: string, credential: Credential | undefined): string {
  let clean = text;
  if (credential) {
    const { username, password } = credential;
    const forms = [password, encodeURIComponent(password), Buffer.from(`${username}:${password}`).toString("base64")];
    for (const form of forms) clean = clean.replaceAll(form, "[secret removed]");
  }
  return removeSecrets(clean).text;
}
