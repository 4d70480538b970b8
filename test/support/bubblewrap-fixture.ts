import { bubblewrap } from "../../src/adapters/sandbox/bubblewrap/bubblewrap.ts";
import { hostNetwork, type Network } from "../../src/adapters/sandbox/egress-proxy/network.ts";
import { probeSandbox } from "../../src/adapters/sandbox/find.ts";
import type { SandboxSpec } from "../../src/adapters/sandbox/sandbox.ts";
import { sandboxStage, type Stage } from "./sandbox-fixture.ts";

/** Machines without it run the other tests only. */
export const HAS_BUBBLEWRAP = (await probeSandbox({ wanted: "bubblewrap", container: null })).ok;

/** A place of bubblewrap's with one writable folder, until the test is over. */
export async function bubblewrapStage(rest: Partial<SandboxSpec> = {}, network: Network = hostNetwork): Promise<Stage> {
  return await sandboxStage(bubblewrap({ network }), rest);
}
