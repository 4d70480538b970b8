import { createHash, randomBytes } from "node:crypto";
import { readFileSync, readlinkSync } from "node:fs";
import { signal } from "../process-group.ts";
import { askEngine, tryEngine } from "./engine.ts";

const NAME = /^relay-([0-9a-f]{12})-(\d+)-[0-9a-f]{16}$/;

/** A unique container name that identifies its Relay process. */
export function containerName(): string {
  return `relay-${bootId()}-${process.pid}-${randomBytes(8).toString("hex")}`;
}

/**
 * Removes the containers of Relay processes that are gone. Their programs ended with them, but after a crash of the
 * whole machine the engine still has their records. Best effort.
 */
export async function removeOrphans(command: string): Promise<void> {
  const list = ["ps", "--all", "--filter=name=relay-", "--format={{.Names}}"];
  const answer = await askEngine(command, list).catch(() => null);
  for (const name of answer?.stdout.toString("utf8").split("\n") ?? []) {
    const [, boot = "", pid = ""] = NAME.exec(name) ?? [];
    if (boot === bootId() && !signal(Number(pid), 0)) await tryEngine(command, ["rm", "--force", name]);
  }
}

/** Identifies this boot and PID namespace, in which process ids are meaningful. */
function bootId(): string {
  const hash = createHash("sha256");
  for (const read of [
    () => readFileSync("/proc/sys/kernel/random/boot_id", "utf8"),
    () => readlinkSync("/proc/self/ns/pid"),
  ]) {
    try {
      hash.update(read());
    } catch {
      // Not Linux: the machine has one PID namespace.
    }
  }
  return hash.digest("hex").slice(0, 12);
}
