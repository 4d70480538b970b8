import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { watchDisk } from "./disk-watch.ts";
import { hasDoor, openDoor } from "./egress-proxy/egress-proxy.ts";
import { network } from "./egress-proxy/network.ts";
import type { Outside } from "./egress-proxy/network.ts";
import { holdersWeaknesses } from "./limit-enforcement.ts";
import type { Holders } from "./limit-enforcement.ts";
import { shownPaths } from "./paths.ts";
import { plainEnvironment, programFolders } from "./environment.ts";
import type { LaunchRequest, RunningProgram } from "../../lib/launch.ts";
import { start } from "./process.ts";
import type { OpenPlace, Place, Sandbox } from "./sandbox.ts";

const HOLDERS: Holders = { memory: "nobody", processes: "nobody", disk: "watched" };

/** No sandbox: programs run as this account, with a cleaned environment and bounds of time and output. */
export function none(outside: Outside = network): Sandbox {
  return {
    kind: "none",
    weaknesses: [
      "programs may read and change every file that Relay's account may, its own settings and secrets among them",
      "programs may reach every host that this machine reaches; the list of allowed hosts is only advice to them",
      ...holdersWeaknesses(HOLDERS),
      "a program that leaves its process group goes on after the end of its run",
      "where Relay is killed, its programs go on",
    ],
    holders: HOLDERS,
    open: async (place) => await openHere(place, outside),
  };
}

async function openHere(place: Place, outside: Outside): Promise<OpenPlace> {
  await shownPaths(place);
  await mkdir(place.folder, { recursive: true, mode: 0o700 });
  const home = await mkdtemp(join(place.folder, "home-"));
  const door = hasDoor(place) ? await openDoor(place, { port: 0 }, outside) : null;
  const environment = {
    ...plainEnvironment(),
    HOME: home,
    PATH: programFolders().join(":"),
    ...door?.environment(`http://127.0.0.1:${door.port}`),
  };
  const disk = watchDisk(place);
  const running = new Set<RunningProgram>();
  return {
    environment,
    launch: async (request: LaunchRequest) => {
      const started = await start({
        ...request,
        environment: { ...environment, ...request.environment },
        ...(disk === null ? {} : { excess: disk.forProgram() }),
      });
      running.add(started);
      void started.exit.then(() => running.delete(started));
      return started;
    },
    refusedHosts: () => door?.refusedHosts() ?? [],
    close: async () => {
      for (const each of running) each.end();
      await Promise.all([...running].map((each) => each.exit));
      await door?.close();
      await rm(home, { recursive: true, force: true }).catch(() => {});
    },
  };
}
