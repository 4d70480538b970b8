import { execFileSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { bubblewrapStage, HAS_BUBBLEWRAP } from "../../../../test/support/bubblewrap-fixture.ts";

const PERL = "/usr/bin/perl";
const there = HAS_BUBBLEWRAP && existsSync(PERL) && process.arch === "x64";

/** Makes calls by their numbers, and tells the result of each. */
const PROBE = `
my ($type, $name, $text, $zeros) = ("user", "relay-probe", "text", "\\0" x 256);
sub called { my ($what, $number, @given) = @_; $! = 0; my $is = syscall($number, @given); print "$what ", $is < 0 ? "$!" : "done", "\\n"; }
called("add_key", 248, $type, $name, $text, length($text), -3);
called("request_key", 249, $type, $name, 0, -3);
called("keyctl", 250, 10, -3, $type, $name, 0);
called("io_uring_setup", 425, 4, $zeros);
called("bpf", 321, 0, $zeros, 128);
called("perf_event_open", 298, $zeros, 0, -1, -1, 0);
called("userfaultfd", 323, 0);
called("process_vm_readv", 310, $$, $zeros, 0, $zeros, 0, 0);
called("ptrace attach", 101, 16, getppid(), 0, 0);
called("ptrace seize", 101, 0x4206, getppid(), 0, 0);
called("ptrace traceme", 101, 0, 0, 0, 0);
called("TIOCSTI", 16, 0, 0x5412, $zeros);
print "still here\\n";
`;

test.runIf(there)("keys and rarely used parts of the kernel are out of reach, and the program goes on", async () => {
  const stage = await bubblewrapStage();
  const probe = join(stage.tree, "probe.pl");
  writeFileSync(probe, PROBE);
  const told = await stage.sh(`${PERL} probe.pl`);
  const refused = "Operation not permitted";
  expect(told.stdout.split("\n")).toEqual([
    `add_key ${refused}`,
    `request_key ${refused}`,
    `keyctl ${refused}`,
    `io_uring_setup ${refused}`,
    `bpf ${refused}`,
    `perf_event_open ${refused}`,
    `userfaultfd ${refused}`,
    `process_vm_readv ${refused}`,
    `ptrace attach ${refused}`,
    `ptrace seize ${refused}`,
    "ptrace traceme done",
    `TIOCSTI ${refused}`,
    "still here",
    "",
  ]);
});

test.runIf(there)("a key of the session that Relay runs in is not read inside", () => {
  const program = join(import.meta.dirname, "../../../../test/children/session-key.ts");
  const joins = `my ($type, $name, $text) = ("user", "relay-test", "of-relays-session"); syscall(250, 1, 0);
    my $key = syscall(248, $type, $name, $text, length($text), -3); exec("${process.execPath}", "${program}", $key)`;
  const told = execFileSync(PERL, ["-e", joins], { encoding: "utf8" });
  expect(told).toBe("outside: of-relays-session\ninside: \n");
});

test.runIf(HAS_BUBBLEWRAP)("the usual programs run under the filter", async () => {
  const { sh } = await bubblewrapStage();
  const programs = [
    `${process.execPath} -e 'new (require("node:worker_threads").Worker)("", { eval: true })' && echo node`,
    "npm --version >/dev/null && echo npm",
    "git init -q . && git -c user.name=a -c user.email=a@example.com commit -q --allow-empty -m x && echo git",
    "sh -c 'echo a | grep -q a' && echo sh",
    "if [ -x /usr/bin/python3 ]; then /usr/bin/python3 -c 'import threading, subprocess, ssl; subprocess.run([\"true\"])'; fi && echo python",
  ];
  const told = await sh(programs.join("\n"));
  expect(told.stdout.split("\n")).toEqual(["node", "npm", "git", "sh", "python", ""]);
});
