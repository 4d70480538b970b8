import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { bubblewrap } from "../src/sandbox/bubblewrap/bubblewrap.ts";
import type { LaunchRequest } from "../src/lib/launch.ts";
import { network } from "../src/sandbox/door/outside.ts";
import type { Outside } from "../src/sandbox/door/outside.ts";
import { probeSandbox } from "../src/sandbox/find.ts";
import type { OpenPlace, Place } from "../src/sandbox/sandbox.ts";
import { outcome, request } from "./sandboxed.ts";
import type { Outcome } from "./sandboxed.ts";

/** Machines without it run the other tests only. */
export const HAS_BUBBLEWRAP = (await probeSandbox({ wanted: "bubblewrap", container: null })).ok;

export interface Stage {
  /** Everything of the test. */
  root: string;
  /** What programs may change. */
  tree: string;
  place: OpenPlace;
  sh: (script: string, rest?: Partial<LaunchRequest>) => Promise<Outcome>;
}

/** A place with one writable folder, until the test is over. */
export async function bubblewrapStage(rest: Partial<Place> = {}, outside: Outside = network): Promise<Stage> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "relay-sandbox-")));
  const tree = join(root, "tree");
  mkdirSync(tree);
  const place = await bubblewrap({ outside }).open({
    writable: [tree],
    readable: [],
    hosts: [],
    models: [],
    folder: join(root, "place"),
    memoryMb: null,
    processes: null,
    diskMb: null,
    ...rest,
  });
  onTestFinished(async () => {
    await place.close();
    rmSync(root, { recursive: true, force: true });
  });
  return {
    root,
    tree,
    place,
    sh: async (script, more = {}) => await outcome(place.launch, request("sh", ["-c", script], { cwd: tree, ...more })),
  };
}
