/*
 * Reads from the bytes of a TLS connection which host they are for, before any of them is passed on (R-WORK-13).
 * Records and chunks may be cut anywhere; nothing is kept between calls.
 */

/** What a program has sent first in a tunnel, so far. */
export type Greeting =
  | { kind: "incomplete" }
  /** A whole client hello of `length` bytes; `host` is its server name, null without one, `hidden` by encryption. */
  | { kind: "hello"; length: number; host: string | null; hidden: boolean }
  | { kind: "not TLS" };

const INCOMPLETE: Greeting = { kind: "incomplete" };
const NOT_TLS: Greeting = { kind: "not TLS" };

/** Bytes of the longest greeting; those of browsers have 2,000. */
const LONGEST = 32 * 1024;

const RECORD_HEADER = 5;
const LONGEST_RECORD = 16 * 1024;
const HANDSHAKE = 22;
const CHANGE_CIPHER_SPEC = 20;
const EARLY_DATA = 23;
const CLIENT_HELLO = 1;
const SERVER_HELLO = 2;
const HANDSHAKE_HEADER = 4;

const SERVER_NAME = 0;
const HOST_NAME = 0;
/** Encrypted client hello, its drafts, and the encrypted server name before it: the real name may be another. */
const ENCRYPTED = new Set([0xfe0d, 0xfe0c, 0xfe0b, 0xfe0a, 0xfe09, 0xfe08, 0xff02, 0xff03, 0xffce]);

/** The greeting that a client's bytes begin with. */
export function readGreeting(bytes: Buffer): Greeting {
  return greetingFrom(bytes, 0);
}

/** The greeting after a server wanted another one: what a client had sent meanwhile may come before it. */
export function readSecondGreeting(bytes: Buffer): Greeting {
  let at = 0;
  while (bytes[at] === CHANGE_CIPHER_SPEC || bytes[at] === EARLY_DATA) {
    if (bytes.length < at + RECORD_HEADER) return INCOMPLETE;
    at += RECORD_HEADER + bytes.readUInt16BE(at + 3);
  }
  return greetingFrom(bytes, at);
}

function greetingFrom(bytes: Buffer, from: number): Greeting {
  const parts: Buffer[] = [];
  let read = 0;
  let wanted = HANDSHAKE_HEADER;
  let at = from;
  while (read < wanted) {
    if (at - from > LONGEST) return NOT_TLS;
    if (bytes.length > at && bytes[at] !== HANDSHAKE) return NOT_TLS;
    if (bytes.length > at + 1 && bytes[at + 1] !== 3) return NOT_TLS;
    if (bytes.length < at + RECORD_HEADER) return INCOMPLETE;
    const length = bytes.readUInt16BE(at + 3);
    if (length === 0 || length > LONGEST_RECORD) return NOT_TLS;
    const part = bytes.subarray(at + RECORD_HEADER, at + RECORD_HEADER + length);
    if (read === 0 && part.length > 0 && part[0] !== CLIENT_HELLO) return NOT_TLS;
    parts.push(part);
    read += part.length;
    if (read >= HANDSHAKE_HEADER && wanted === HANDSHAKE_HEADER) {
      wanted += Buffer.concat(parts).readUIntBE(1, 3);
      if (wanted > LONGEST) return NOT_TLS;
    }
    if (part.length < length) return INCOMPLETE;
    at += RECORD_HEADER + length;
  }
  // Nothing may follow it in its last record.
  if (read > wanted) return NOT_TLS;
  const found = namesIn(Buffer.concat(parts).subarray(HANDSHAKE_HEADER));
  return found === null ? NOT_TLS : { kind: "hello", length: at, ...found };
}

/** The server name in the body of a client hello; null where the body is malformed. */
function namesIn(body: Buffer): { host: string | null; hidden: boolean } | null {
  const rest = new Fields(body);
  rest.skip(2 + 32);
  rest.vector(1);
  rest.vector(2);
  rest.vector(1);
  if (rest.isEmpty()) return { host: null, hidden: false };
  const extensions = new Fields(rest.vector(2));
  let name: Buffer | null = null;
  let hidden = false;
  while (!extensions.isEmpty()) {
    const type = extensions.number(2);
    const value = extensions.vector(2);
    if (ENCRYPTED.has(type)) hidden = true;
    if (type !== SERVER_NAME) continue;
    // A second one could be what the server reads.
    if (name !== null) return null;
    name = value;
  }
  if (!rest.isEmpty() || rest.broken || extensions.broken) return null;
  if (name === null) return { host: null, hidden };
  const host = hostIn(name);
  return host === null ? null : { host, hidden };
}

/** The one host of a list of server names; null for any other list. */
function hostIn(extension: Buffer): string | null {
  const outer = new Fields(extension);
  const names = new Fields(outer.vector(2));
  const type = names.number(1);
  const host = names.vector(2);
  const whole = outer.isEmpty() && names.isEmpty() && !outer.broken && !names.broken;
  return whole && type === HOST_NAME && host.length > 0 ? host.toString("latin1") : null;
}

/** Reads numbers and vectors one after the other; `broken` once something reached beyond the end. */
class Fields {
  broken = false;
  #at = 0;
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  isEmpty(): boolean {
    return this.broken || this.#at === this.#bytes.length;
  }

  skip(length: number): void {
    if (this.#at + length > this.#bytes.length) this.broken = true;
    else this.#at += length;
  }

  number(size: number): number {
    const at = this.#at;
    this.skip(size);
    return this.broken ? 0 : this.#bytes.readUIntBE(at, size);
  }

  /** Bytes behind their own length, which takes `size` bytes. */
  vector(size: number): Buffer {
    const length = this.number(size);
    const at = this.#at;
    this.skip(length);
    return this.broken ? Buffer.alloc(0) : this.#bytes.subarray(at, at + length);
  }
}

/** The random value by which a server asks for another client hello (RFC 8446, 4.1.3). */
const RETRY = Buffer.from("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c", "hex");
const RANDOM_AT = RECORD_HEADER + HANDSHAKE_HEADER + 2;

/** Whether a server's first bytes ask for another client hello; null while they do not say. */
export function wantsAnotherHello(bytes: Buffer): boolean | null {
  if (bytes.length > 0 && bytes[0] !== HANDSHAKE) return false;
  if (bytes.length > RECORD_HEADER && bytes[RECORD_HEADER] !== SERVER_HELLO) return false;
  if (bytes.length < RANDOM_AT + RETRY.length) return null;
  return bytes.subarray(RANDOM_AT, RANDOM_AT + RETRY.length).equals(RETRY);
}
