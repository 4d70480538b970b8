import { removeSecrets } from "../../domain/text/secrets.ts";
import { RelayError } from "../../lib/errors.ts";

export interface Credential {
  readonly username: string;
  readonly password: string;
}

/** A credential, or who yields one: `refused` tells that the server did not take the one before. */
export type CredentialSource = Credential | ((why: "first" | "refused") => Credential | Promise<Credential>);

/** The file descriptor on which git's credential helper finds the credential. */
export const CREDENTIAL_DESCRIPTOR = 3;

/**
 * Settings that let git read a credential from an inherited pipe, for one scheme, host and port.
 *
 * Of the ways to hand git a secret this one leaves the least behind: arguments are seen by everybody in the process
 * list, files stay, the environment is inherited by every child and shown in /proc and crash reports, and a header in
 * `http.extraHeader` goes along to whatever host the server redirects to. A pipe can be read once, and git asks the
 * helper below only where the address that it talks to, after redirects, has the origin in the setting's name.
 * The first, empty helper drops those that the machine has configured, which might store what they are told.
 */
export function credentialSettings(origin: string): string[] {
  const read = `!relay() { test "$1" = get && cat <&${CREDENTIAL_DESCRIPTOR}; true; }; relay`;
  return ["credential.helper=", `credential.${origin}.helper=${read}`];
}

/** What the helper prints. Throws `RelayError` `usage` for a credential that would break out of its line. */
export function credentialLines(credential: Credential): string {
  if (!fitsLine(credential.username) || !fitsLine(credential.password) || credential.password === "") {
    throw new RelayError("usage", "the credential is empty or holds a line break; configure the token on one line");
  }
  return `username=${credential.username}\npassword=${credential.password}\n`;
}

function fitsLine(text: string): boolean {
  return !/[\n\r\0]/.test(text);
}

/** A text of git without the credential in any form that it travels in, and without anything that looks like one. */
export function scrubbed(text: string, credential: Credential | undefined): string {
  let clean = text;
  if (credential) {
    const { username, password } = credential;
    const forms = [password, encodeURIComponent(password), Buffer.from(`${username}:${password}`).toString("base64")];
    for (const form of forms) clean = clean.replaceAll(form, "[secret removed]");
  }
  return removeSecrets(clean).text;
}
