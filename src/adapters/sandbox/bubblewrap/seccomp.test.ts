import { expect, test } from "vitest";
import { seccompFilter } from "./seccomp.ts";

const X64 = 0xc000_003e;
const ARM64 = 0xc000_00b7;

interface Call {
  architecture: number;
  number: number;
  args?: readonly bigint[];
}

/** What the kernel would do with a call: runs the filter as it does. */
function verdict(filter: Buffer, { architecture, number, args = [] }: Call): "allowed" | "refused" {
  const data = Buffer.alloc(64);
  data.writeUInt32LE(number, 0);
  data.writeUInt32LE(architecture, 4);
  for (const [index, value] of args.entries()) data.writeBigUInt64LE(value, 16 + 8 * index);
  let loaded = 0;
  for (let at = 0; at < filter.length; at += 8) {
    const value = filter.readUInt32LE(at + 4);
    const jump = (holds: boolean): void => {
      at += 8 * filter.readUInt8(at + (holds ? 2 : 3));
    };
    switch (filter.readUInt16LE(at)) {
      case 0x20:
        loaded = data.readUInt32LE(value);
        break;
      case 0x15:
        jump(loaded === value);
        break;
      case 0x25:
        jump(loaded > value);
        break;
      default:
        return value === 0x7fff_0000 ? "allowed" : "refused";
    }
  }
  throw new Error("the filter came to no end");
}

const CASES = [
  { name: "x64", architecture: X64, keys: [248, 249, 250], ioctl: 16, ptrace: 101, usual: [0, 1, 59, 231, 435, 439] },
  { name: "arm64", architecture: ARM64, keys: [217, 218, 219], ioctl: 29, ptrace: 117, usual: [63, 64, 93, 221, 435] },
] as const;

test.each(CASES)("on $name keys and rarely used parts of the kernel are refused, all else is not", (known) => {
  const { architecture } = known;
  const filter = seccompFilter(known.name) ?? Buffer.alloc(0);
  const of = (number: number, args: bigint[] = []) => verdict(filter, { architecture, number, args });
  expect([...known.keys, 425, 426, 427, 438].map((number) => of(number))).toEqual(Array(7).fill("refused"));
  expect(known.usual.map((number) => of(number))).toEqual(known.usual.map(() => "allowed"));
  // TIOCSTI also where the upper half, which the kernel ignores, is set; and the size of a window.
  expect([0x5412n, 0xffff_ffff_0000_5412n, 0x541cn].map((request) => of(known.ioctl, [1n, request]))).toEqual(
    Array(3).fill("refused"),
  );
  expect(of(known.ioctl, [1n, 0x5413n])).toBe("allowed");
  // PTRACE_ATTACH and PTRACE_SEIZE; PTRACE_TRACEME, by which a debugger traces its own child.
  expect([16n, 0x4206n, 0n].map((request) => of(known.ptrace, [request]))).toEqual(["refused", "refused", "allowed"]);
});

test("calls in the form of another architecture are refused", () => {
  const filter = seccompFilter("x64") ?? Buffer.alloc(0);
  expect(verdict(filter, { architecture: 0x4000_0003, number: 1 })).toBe("refused");
  // x32.
  expect(verdict(filter, { architecture: X64, number: 0x4000_0001 })).toBe("refused");
  expect(verdict(filter, { architecture: X64, number: 0xffff_ffff })).toBe("refused");
  expect(verdict(seccompFilter("arm64") ?? filter, { architecture: X64, number: 1 })).toBe("refused");
});

test("there is none for an architecture whose calls are not known", () => {
  expect(seccompFilter("riscv64")).toBeNull();
});
