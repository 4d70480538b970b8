import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { signal } from "../process-group.ts";
import { askEngine, tellEngine } from "./engine.ts";

const NAME = /^relay-([0-9a-f]{12})-(\d+)-[0-9a-f]{16}$/;

/** A name for a container that nobody has, and that tells which process it is of. */
export function containerName(): string {
  return `relay-${numbering()}-${process.pid}-${randomBytes(8).toString("hex")}`;
}

/**
 * Removes the containers of Relays that are gone. Their programs ended with them, but where the engine was killed at the
 * same time, as with the whole machine, what it wrote down of them stays. Best effort.
 */
export async function removeOrphans(command: string): Promise<void> {
  const list = ["ps", "--all", "--filter=name=relay-", "--format={{.Names}}"];
  const answer = await askEngine(command, list).catch(() => null);
  for (const name of answer?.stdout.toString("utf8").split("\n") ?? []) {
    const [, numbers = "", pid = ""] = NAME.exec(name) ?? [];
    if (numbers === numbering() && !signal(Number(pid), 0)) await tellEngine(command, ["rm", "--force", name]);
  }
}

/** Names what numbers of processes mean here, until the next start of the machine: elsewhere they are of others. */
function numbering(): string {
  const hash = createHash("sha256");
  for (const read of [
    () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"),
    () => readlinkSync("/proc/self/ns/pid"),
  ]) {
    try {
      hash.update(read());
    } catch {
      // No Linux: one machine, one numbering.
    }
  }
  return hash.digest("hex").slice(0, 12);
}
