import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { needsEgress, openEgressProxy } from "./egress-proxy/egress-proxy.ts";
import { hostNetwork, type Network } from "./egress-proxy/network.ts";
import { enforcementWeaknesses, type LimitEnforcement } from "./limit-enforcement.ts";
import { shownPaths } from "./paths.ts";
import { plainEnvironment, programFolders } from "./environment.ts";
import { whereProgramIs } from "./find-program.ts";
import type { LaunchRequest } from "../../lib/launch.ts";
import { programsOf } from "./programs.ts";
import type { OpenSandbox, SandboxSpec, Sandbox } from "./sandbox.ts";

const ENFORCEMENT: LimitEnforcement = { memory: "nobody", processes: "nobody", disk: "watched" };

/** No sandbox: programs run as this account, with a clean environment and limits on time and output. */
export function none(network: Network = hostNetwork): Sandbox {
  return {
    kind: "none",
    weaknesses: [
      "programs may read and change every file that Relay's account may, its own settings and secrets among them",
      "programs may reach every host that this machine reaches; the list of allowed hosts is only advice to them",
      ...enforcementWeaknesses(ENFORCEMENT),
      "a program that leaves its process group goes on after the end of its run",
      "where Relay is killed, its programs go on",
    ],
    enforcement: ENFORCEMENT,
    open: async (spec) => await openHere(spec, network),
  };
}

async function openHere(spec: SandboxSpec, network: Network): Promise<OpenSandbox> {
  await shownPaths(spec);
  await mkdir(spec.folder, { recursive: true, mode: 0o700 });
  const home = await mkdtemp(join(spec.folder, "home-"));
  const egress = needsEgress(spec) ? await openEgressProxy(spec, { port: 0 }, network) : null;
  const environment = {
    ...plainEnvironment(),
    HOME: home,
    PATH: programFolders().join(":"),
    ...egress?.environment(`http://127.0.0.1:${egress.port}`),
  };
  const programs = programsOf(spec);
  return {
    environment,
    launch: async (request: LaunchRequest) => {
      const seen = { ...environment, ...request.environment };
      const found = await whereProgramIs(request.command, { cwd: request.cwd, folders: seen.PATH.split(":") });
      return await programs.start({
        ...request,
        command: found?.path ?? request.command,
        environment: { ...seen, PATH: [...(request.pathFirst ?? []), seen.PATH].join(":") },
      });
    },
    refusedHosts: () => egress?.refusedHosts() ?? [],
    unreachedHosts: () => egress?.unreachedHosts() ?? [],
    close: async () => {
      await programs.endAll();
      await egress?.close();
      await rm(home, { recursive: true, force: true }).catch(() => {});
    },
  };
}
