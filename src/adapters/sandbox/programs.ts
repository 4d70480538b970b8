import type { RunningProgram } from "../../lib/launch.ts";
import { watchDisk } from "./disk-watch.ts";
import type { StartRequest } from "./process.ts";
import { start } from "./process.ts";
import type { SandboxSpec } from "./sandbox.ts";

/** The running programs of one sandbox: they share its disk limit, and end together. */
export function programsOf(spec: SandboxSpec) {
  const disk = watchDisk(spec);
  const running = new Set<RunningProgram>();
  return {
    start: async (request: StartRequest): Promise<RunningProgram> => {
      const program = await start({ ...request, ...(disk === null ? {} : { exceeded: disk.forProgram() }) });
      running.add(program);
      void program.exit.then(() => running.delete(program));
      return program;
    },
    endAll: async (): Promise<void> => {
      for (const each of running) each.end();
      await Promise.all([...running].map((each) => each.exit));
    },
  };
}
