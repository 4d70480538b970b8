import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { limitByKernel, kernelLimits, type GroupFiles } from "./control-group.ts";

/** Groups as the kernel shows them to a service, in its second form; files here, which bound nobody. */
function groups(shared: string): GroupFiles & { beside: string } {
  const folder = mkdtempSync(join(tmpdir(), "relay-groups-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const beside = join(folder, "system.slice");
  mkdirSync(beside);
  writeFileSync(join(beside, "cgroup.subtree_control"), shared);
  writeFileSync(join(beside, "cgroup.procs"), "");
  writeFileSync(join(folder, "own"), "1:name=systemd:/elsewhere\n0::/system.slice/relay.service\n");
  return { root: folder, own: join(folder, "own"), beside };
}

const BOUNDS = { memoryMb: 100, processes: 50 };

test("a program gets a group beside Relay's own, with its limits, and what they kept it from is told", () => {
  const { beside, ...files } = groups("cpu memory pids\n");
  const bound = limitByKernel(4_242, BOUNDS, files);
  const group = join(beside, `relay-${process.pid}-4242`);
  const read = (name: string): string => readFileSync(join(group, name), "utf8");
  expect(bound.enforces).toEqual({ memory: true, pids: true });
  expect([read("memory.max"), read("pids.max"), read("cgroup.procs")]).toEqual(["104857600", "114", "4242"]);
  writeFileSync(join(group, "memory.events"), "oom 3\noom_kill 0\n");
  expect(bound.exceeded()).toBeNull();
  writeFileSync(join(group, "memory.events"), "oom 3\noom_kill 1\noom_group_kill 1\n");
  expect(bound.exceeded()).toMatchObject({ text: "it took more than 100 MB of memory" });
  writeFileSync(join(group, "pids.events"), "max 7\n");
  expect(bound.exceeded()).toMatchObject({ text: "it ran more than 50 processes at a time" });
});

test("what is not given to Relay to bound is known, before a program runs and when it does", () => {
  const { beside, ...files } = groups("cpu\n");
  rmSync(join(beside, "cgroup.subtree_control"));
  expect(kernelLimits(files)).toEqual({ memory: false, pids: false });
  expect(limitByKernel(4_242, BOUNDS, files)).toMatchObject({ enforces: { memory: false, pids: false } });
  const elsewhere = { ...files, root: join(files.root, "nowhere") };
  expect(limitByKernel(4_242, BOUNDS, elsewhere).exceeded()).toBeNull();
  expect(existsSync(elsewhere.root)).toBe(false);
});

test("empty groups of a Relay that was killed are taken away, those of one that lives stay", () => {
  const { beside, ...files } = groups("memory pids\n");
  // Numbers of processes end before this one.
  const [dead, living] = [join(beside, "relay-999999999-1"), join(beside, `relay-${process.ppid}-1`)];
  mkdirSync(dead);
  mkdirSync(living);
  expect(kernelLimits(files)).toEqual({ memory: true, pids: true });
  expect([existsSync(dead), existsSync(living)]).toEqual([false, true]);
});
