import { array, assert, integer, nat, property, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { clientHello } from "../../../../test/support/tls.ts";
import { readGreeting, readSecondGreeting, wantsAnotherHello } from "./client-hello.ts";

const whole = await clientHello("registry.example.com");
const handshake = whole.subarray(5);

/** The handshake in records of these sizes; what is left comes in one more. */
function inRecords(message: Buffer, sizes: readonly number[]): Buffer {
  const parts: Buffer[] = [];
  let at = 0;
  for (const size of [...sizes, message.length]) {
    const part = message.subarray(at, at + size);
    if (part.length > 0) parts.push(Buffer.from([22, 3, 1, part.length >> 8, part.length & 255]), part);
    at += size;
  }
  return Buffer.concat(parts);
}

/** The hello with one more extension. */
function withExtension(type: number, value: Buffer): Buffer {
  const ciphers = 38 + 1 + handshake.readUInt8(38);
  const compression = ciphers + 2 + handshake.readUInt16BE(ciphers);
  const at = compression + 1 + handshake.readUInt8(compression);
  const message = Buffer.concat([
    handshake,
    Buffer.from([type >> 8, type & 255, value.length >> 8, value.length & 255]),
    value,
  ]);
  const added = value.length + 4;
  message.writeUIntBE(message.length - 4, 1, 3);
  message.writeUInt16BE(message.readUInt16BE(at) + added, at);
  return inRecords(message, []);
}

test("the name of a real client hello is read, however it is cut", () => {
  const cuts = array(integer({ min: 1, max: 400 }), { maxLength: 40 });
  assert(
    property(cuts, nat(), (sizes, seed) => {
      const bytes = inRecords(handshake, sizes);
      expect(readGreeting(bytes.subarray(0, seed % bytes.length))).toEqual({ kind: "incomplete" });
      const greeting = { kind: "hello", length: bytes.length, host: "registry.example.com", hidden: false };
      expect(readGreeting(bytes)).toEqual(greeting);
      expect(readGreeting(Buffer.concat([bytes, Buffer.from([23, 3, 3])]))).toEqual(greeting);
    }),
  );
});

test("no bytes make it throw, and none make it wait for ever", () => {
  assert(property(uint8Array({ maxLength: 300 }), (bytes) => void readGreeting(Buffer.from(bytes))));
  assert(
    property(nat(whole.length - 1), nat(255), (at, value) => {
      const bytes = Buffer.from(whole);
      bytes[at] = value;
      readGreeting(bytes);
    }),
  );
  const endless = Buffer.concat(Array.from({ length: 40_000 }, () => Buffer.from([22, 3, 1, 0, 1, 1])));
  expect(readGreeting(endless)).toEqual({ kind: "not TLS" });
  const huge = inRecords(Buffer.concat([Buffer.from([1, 0, 255, 255]), Buffer.alloc(100)]), []);
  expect(readGreeting(huge)).toEqual({ kind: "not TLS" });
});

test("what is no client hello is none: HTTP, SSH, old SSL, empty records, more than one message", () => {
  const others = [
    Buffer.from("GET / HTTP/1.1\r\n\r\n"),
    Buffer.from("SSH-2.0-OpenSSH_9.2\r\n"),
    Buffer.from("802e0103010015", "hex"),
    Buffer.from([22, 3, 1, 0, 0]),
    Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0]),
    inRecords(Buffer.concat([handshake, handshake]), []),
  ];
  expect(others.map((bytes) => readGreeting(bytes).kind)).toEqual(others.map(() => "not TLS"));
});

test("a hello without a name, with an encrypted one, or with two says so", async () => {
  expect(readGreeting(await clientHello(""))).toMatchObject({ host: null, hidden: false });
  expect(readGreeting(withExtension(0xfe0d, Buffer.alloc(40)))).toMatchObject({ kind: "hello", hidden: true });
  expect(readGreeting(withExtension(0xffce, Buffer.alloc(8)))).toMatchObject({ kind: "hello", hidden: true });
  const again = Buffer.concat([Buffer.from([0, 8, 0, 0, 5]), Buffer.from("other")]);
  expect(readGreeting(withExtension(0, again))).toEqual({ kind: "not TLS" });
  // One that nothing is wrong with.
  expect(readGreeting(withExtension(0xaaaa, Buffer.alloc(3)))).toMatchObject({ host: "registry.example.com" });
});

test("a second hello is found behind what a client sent meanwhile", () => {
  const meanwhile = Buffer.from([20, 3, 3, 0, 1, 1, 23, 3, 3, 0, 2, 9, 9]);
  expect(readSecondGreeting(meanwhile)).toEqual({ kind: "incomplete" });
  expect(readSecondGreeting(Buffer.concat([meanwhile, whole]))).toMatchObject({
    length: meanwhile.length + whole.length,
    host: "registry.example.com",
  });
});

test("whether a server wants another hello is known from its first bytes", () => {
  const head = Buffer.from([22, 3, 3, 0, 80, 2, 0, 0, 76, 3, 3]);
  const retry = Buffer.from("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c", "hex");
  expect(wantsAnotherHello(head)).toBeNull();
  expect(wantsAnotherHello(Buffer.concat([head, retry]))).toBe(true);
  expect(wantsAnotherHello(Buffer.concat([head, Buffer.alloc(32)]))).toBe(false);
  expect(wantsAnotherHello(Buffer.from([21, 3, 3, 0, 2, 2, 40]))).toBe(false);
});
