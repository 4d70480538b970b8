import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { describe, expect, test } from "vitest";

/** The floors of the house, lowest first; ARCHITECTURE.md draws the same picture. */
const FLOORS = [
  { name: "ground", rooms: ["lib"] },
  { name: "domain", rooms: ["domain"] },
  { name: "adapters", rooms: ["trackers", "models", "agents", "sandbox", "queue", "specstore", "store"] },
  { name: "services", rooms: ["explore", "spending"] },
  { name: "stages", rooms: ["intake", "planning", "actions", "spec", "plan", "work", "review"] },
  { name: "replay", rooms: ["replay"] },
  { name: "configuration", rooms: ["config"] },
  { name: "specify", rooms: ["specify.ts", "config.ts", "tell.ts", "repository-settings.ts"] },
  { name: "propose", rooms: ["propose.ts"] },
  { name: "make-plan", rooms: ["make-plan.ts", "stopped.ts", "take-back.ts"] },
  { name: "confirm", rooms: ["confirm.ts", "quick-way.ts"] },
  { name: "conclude", rooms: ["conclude.ts", "end-of-request.ts"] },
  { name: "budget-stop", rooms: ["budget-stop.ts"] },
  { name: "worker", rooms: ["worker"] },
  { name: "cycle", rooms: ["cycle.ts", "work-off.ts", "show.ts"] },
  { name: "work-on", rooms: ["work-on.ts"] },
  { name: "flow", rooms: ["flow.ts"] },
  { name: "jobs", rooms: ["jobs.ts"] },
  { name: "minds", rooms: ["minds.ts", "repositories.ts", "connections.ts", "home.ts", "workshop.ts"] },
  { name: "foundation", rooms: ["foundation.ts", "local-projects.ts", "local-code.ts"] },
  { name: "upkeep", rooms: ["upkeep.ts"] },
  { name: "composition", rooms: ["main.ts"] },
  { name: "web", rooms: ["web"] },
  { name: "surfaces", rooms: ["cli"] },
];

const source = resolve(import.meta.dirname, "../src");
const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => file.split(sep).join("/"));

function roomOf(file: string): string {
  return (file.split("/")[0] ?? file).replace(/\.test\.ts$/, ".ts");
}

function floorOf(file: string): number {
  return FLOORS.findIndex((floor) => floor.rooms.includes(roomOf(file)));
}

/** Every import of a file, static, dynamic or re-export, as written. */
function importsOf(file: string): string[] {
  const text = readFileSync(join(source, file), "utf8");
  const found = text.matchAll(/(?:\bfrom|\bimport)\s*\(?\s*["']([^"']+)["']/g);
  return [...found].map((match) => match[1] ?? "").filter((specifier) => specifier.startsWith("."));
}

const edges = files.flatMap((file) =>
  importsOf(file).map((specifier) => ({
    file,
    target: relative(source, resolve(source, dirname(file), specifier))
      .split(sep)
      .join("/"),
  })),
);

describe("the floors of the house", () => {
  test("every folder is a known room", () => {
    expect(files.filter((file) => floorOf(file) === -1)).toEqual([]);
  });

  test("a file imports only its own room and the floors below", () => {
    const wrong = edges.filter(({ file, target }) => {
      const ownTests = file.endsWith(".test.ts") && target.startsWith("../test/");
      if (roomOf(file) === roomOf(target) || ownTests) return false;
      return target.startsWith("..") || floorOf(target) >= floorOf(file);
    });
    expect(wrong).toEqual([]);
  });

  test("product code never imports a test", () => {
    expect(edges.filter(({ file, target }) => !file.endsWith(".test.ts") && target.endsWith(".test.ts"))).toEqual([]);
  });

  test("only config.ts reads the environment", () => {
    const readers = files.filter(
      (file) =>
        !file.endsWith(".test.ts") &&
        file !== "config.ts" &&
        /process\s*\.\s*env\b/.test(readFileSync(join(source, file), "utf8")),
    );
    // A child process inherits the environment unless its caller gives another one.
    expect(readers).toEqual(["lib/exec.ts"]);
  });
});
