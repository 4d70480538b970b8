/** Who holds what a program takes to its bound: the kernel, which lets no more; Relay, which looks; or nobody. */
export type Holder = "kernel" | "watched" | "nobody";

/** What is bounded in a place, and by whom. */
export interface Holders {
  memory: Holder;
  processes: Holder;
  disk: Holder;
}

const NAMES = { memory: "memory", processes: "the number of processes", disk: "disk space" } as const;

/** The same for people: `the kernel bounds memory; disk space is watched`. */
export function holdersText(holders: Holders): string {
  const held = (by: Holder): string => listed(namesOf(holders, by));
  return [
    held("kernel") && `the kernel bounds ${held("kernel")}`,
    held("watched") && `${held("watched")} ${isOrAre(held("watched"))} watched`,
    held("nobody") && `nobody bounds ${held("nobody")}`,
  ]
    .filter((part) => part !== "")
    .join("; ");
}

/** What programs may do nevertheless, one short sentence each. */
export function holdersWeaknesses(holders: Holders): string[] {
  const watched = listed(namesOf(holders, "watched"));
  const nobody = listed(namesOf(holders, "nobody"));
  return [
    ...(watched === ""
      ? []
      : [`${watched} ${isOrAre(watched)} looked at four times a second: what goes up faster is ended late`]),
    ...(nobody === "" ? [] : [`${nobody} ${isOrAre(nobody)} not bounded`]),
  ];
}

function namesOf(holders: Holders, by: Holder): string[] {
  const kinds = ["memory", "processes", "disk"] as const;
  return kinds.filter((kind) => holders[kind] === by).map((kind) => NAMES[kind]);
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

function isOrAre(names: string): string {
  return names.includes(" and ") ? "are" : "is";
}
