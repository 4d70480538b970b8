import type { ExceededLimit } from "../../lib/launch.ts";
/** What enforces a limit: the kernel, strictly; Relay, by polling (`watched`); or nothing (`nobody`). */
export type Enforcer = "kernel" | "watched" | "nobody";

/** What enforces each limit of a sandbox. */
export interface LimitEnforcement {
  memory: Enforcer;
  processes: Enforcer;
  disk: Enforcer;
}

const NAMES = { memory: "memory", processes: "the number of processes", disk: "disk space and files" } as const;

/** The same for people: `the kernel limits memory; disk space and files are watched`. */
export function enforcementText(enforcement: LimitEnforcement): string {
  const held = (by: Enforcer): string => listed(namesOf(enforcement, by));
  return [
    held("kernel") && `the kernel limits ${held("kernel")}`,
    held("watched") && `${held("watched")} ${isOrAre(held("watched"))} watched`,
    held("nobody") && `nothing limits ${held("nobody")}`,
  ]
    .filter((part) => part !== "")
    .join("; ");
}

/** What programs may still do, one short sentence each. */
export function enforcementWeaknesses(enforcement: LimitEnforcement): string[] {
  const watched = listed(namesOf(enforcement, "watched"));
  const nobody = listed(namesOf(enforcement, "nobody"));
  return [
    ...(watched === ""
      ? []
      : [`${watched} ${isOrAre(watched)} checked four times a second: a faster program is ended late`]),
    ...(nobody === "" ? [] : [`${nobody} ${isOrAre(nobody)} not limited`]),
  ];
}

function namesOf(enforcement: LimitEnforcement, by: Enforcer): string[] {
  const kinds = ["memory", "processes", "disk"] as const;
  return kinds.filter((kind) => enforcement[kind] === by).map((kind) => NAMES[kind]);
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function isOrAre(names: string): string {
  return names.includes(" and ") ? "are" : "is";
}

export function tooMuchMemory(memoryMb: number): ExceededLimit {
  return { of: "memory", most: memoryMb, text: `it took more than ${memoryMb} MB of memory` };
}

export function tooManyProcesses(most: number): ExceededLimit {
  return { of: "processes", most, text: `it ran more than ${most} processes at a time` };
}
