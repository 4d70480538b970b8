/*
 * A seccomp filter that refuses what no program of a repository needs, and what reaches beyond the sandbox or into
 * rarely used parts of the kernel (R-WORK-14). It lists what is refused: all else is left to the namespaces. The bytes
 * are classic BPF, as the kernel reads them (linux/filter.h, linux/seccomp.h).
 */

interface Architecture {
  /** Number in the kernel's audit interface: a filter sees calls of other architectures too. */
  audit: number;
  /** Above it are the calls of x32, the same ones under other numbers. */
  highest: number | null;
  ioctl: number;
  ptrace: number;
  refused: readonly number[];
}

/** io_uring_setup, io_uring_enter, io_uring_register and pidfd_getfd have one number everywhere. */
const EVERYWHERE = [425, 426, 427, 438];

const ARCHITECTURES: Readonly<Partial<Record<NodeJS.Architecture, Architecture>>> = {
  x64: {
    audit: 0xc000_003e,
    highest: 0x3fff_ffff,
    ioctl: 16,
    ptrace: 101,
    // add_key, request_key, keyctl, perf_event_open, process_vm_readv, process_vm_writev, kcmp, bpf, userfaultfd
    refused: [248, 249, 250, 298, 310, 311, 312, 321, 323, ...EVERYWHERE],
  },
  arm64: {
    audit: 0xc000_00b7,
    highest: null,
    ioctl: 29,
    ptrace: 117,
    refused: [217, 218, 219, 241, 270, 271, 272, 280, 282, ...EVERYWHERE],
  },
};

/** TIOCSTI and TIOCLINUX, which type into a terminal. */
const TYPING = [0x5412, 0x541c];
/** PTRACE_ATTACH and PTRACE_SEIZE: of programs that are not one's own children. */
const ATTACHING = [16, 0x4206];

const LOAD = 0x20;
const IF_EQUAL = 0x15;
const IF_ABOVE = 0x25;
const RETURN = 0x06;
const ALLOWED = 0x7fff_0000;
/** The call fails with EPERM, and the program goes on. */
const REFUSED = 0x0005_0001;

const NUMBER_AT = 0;
const ARCHITECTURE_AT = 4;
/** The lower half of an argument: the kernel ignores the upper one for these. */
const argumentAt = (index: number): number => 16 + 8 * index;

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number];

/** The filter for programs of this machine; null for an architecture whose calls are not known here. */
export function seccompFilter(architecture: NodeJS.Architecture = process.arch): Buffer | null {
  const known = ARCHITECTURES[architecture];
  if (known === undefined) return null;
  const program: Instruction[] = [
    [LOAD, 0, 0, ARCHITECTURE_AT],
    [IF_EQUAL, 1, 0, known.audit],
    [RETURN, 0, 0, REFUSED],
    [LOAD, 0, 0, NUMBER_AT],
    ...(known.highest === null ? [] : refuseIf(IF_ABOVE, known.highest)),
    ...known.refused.flatMap((number) => refuseIf(IF_EQUAL, number)),
    ...refuseArguments(known.ioctl, 1, TYPING),
    ...refuseArguments(known.ptrace, 0, ATTACHING),
    [RETURN, 0, 0, ALLOWED],
  ];
  const bytes = Buffer.alloc(program.length * 8);
  for (const [index, [code, ifTrue, ifFalse, value]] of program.entries()) {
    const at = index * 8;
    bytes.writeUInt16LE(code, at);
    bytes.writeUInt8(ifTrue, at + 2);
    bytes.writeUInt8(ifFalse, at + 3);
    bytes.writeUInt32LE(value, at + 4);
  }
  return bytes;
}

function refuseIf(test: number, value: number): Instruction[] {
  return [
    [test, 0, 1, value],
    [RETURN, 0, 0, REFUSED],
  ];
}

/** Refuses a call with one of these values as its argument; leaves the number of the call loaded for the next test. */
function refuseArguments(call: number, index: number, values: readonly number[]): Instruction[] {
  const tests = values.flatMap((value) => refuseIf(IF_EQUAL, value));
  return [[IF_EQUAL, 0, tests.length + 2, call], [LOAD, 0, 0, argumentAt(index)], ...tests, [LOAD, 0, 0, NUMBER_AT]];
}
