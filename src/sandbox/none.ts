import { plainEnvironment, programFolders } from "./environment.ts";
import type { LaunchRequest, RunningProgram } from "../lib/launch.ts";
import { start } from "./process.ts";
import type { OpenPlace, Sandbox } from "./sandbox.ts";

/** No sandbox: programs run as this account, with a cleaned environment and bounds of time and output. */
export const none: Sandbox = {
  kind: "none",
  weaknesses: [
    "programs may read and change every file that Relay's account may, its own settings and secrets among them",
    "programs may reach every host that this machine reaches; the list of allowed hosts is only advice to them",
    "neither memory nor the number of processes is bounded",
    "a program that leaves its process group goes on after the end of its run",
    "where Relay is killed, its programs go on",
  ],
  open: async () => await Promise.resolve(openHere()),
};

function openHere(): OpenPlace {
  const environment = { ...plainEnvironment(), PATH: programFolders().join(":") };
  const running = new Set<RunningProgram>();
  return {
    environment,
    launch: async (request: LaunchRequest) => {
      const started = await start({ ...request, environment: { ...environment, ...request.environment } });
      running.add(started);
      void started.exit.then(() => running.delete(started));
      return started;
    },
    refusedHosts: () => [],
    close: async () => {
      for (const each of running) each.end();
      await Promise.all([...running].map((each) => each.exit));
    },
  };
}
