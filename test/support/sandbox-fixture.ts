import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { LaunchRequest } from "../../src/lib/launch.ts";
import { UNLIMITED, type OpenSandbox, type SandboxSpec, type Sandbox } from "../../src/adapters/sandbox/sandbox.ts";
import { outcome, request, type Outcome } from "./sandboxed.ts";

export interface Stage {
  /** Everything of the test. */
  root: string;
  /** What programs may change. */
  tree: string;
  place: OpenSandbox;
  sh: (script: string, rest?: Partial<LaunchRequest>) => Promise<Outcome>;
}

/** A place with one writable folder of this name, until the test is over. */
export async function sandboxStage(
  sandbox: Pick<Sandbox, "open">,
  rest: Partial<SandboxSpec> = {},
  name = "tree",
): Promise<Stage> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "relay-sandbox-")));
  const tree = join(root, name);
  mkdirSync(tree);
  const place = await sandbox.open({
    writable: [tree],
    readable: [],
    hosts: [],
    privateNetwork: [],
    models: [],
    folder: join(root, "place"),
    ...UNLIMITED,
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
