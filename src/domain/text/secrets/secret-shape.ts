/** A credential that its own look, or its place, gives away. */
export interface SecretShape {
  name: string;
  /** Global; the group `secret` is what is removed, if not all of it. */
  pattern: RegExp;
  /** Texts without any of these are not searched; compared as written. */
  marks?: readonly string[];
  /** The same, in small letters, whatever the case in the text. */
  keywords?: readonly string[];
  /** Whether what is found is one after all. */
  fits?: (found: string) => boolean;
  /** Whether only its place makes it a secret: a password of any look. */
  isPassword?: true;
}
