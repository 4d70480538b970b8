import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, onTestFinished } from "vitest";
import { z } from "zod";
import { type Desk, startRelay } from "../cli-harness.ts";
import type { LoadBalancer } from "./load-balancer.ts";

/** The processes of a Relay that serves: each is started again whenever it was ended. */
export interface Processes {
  names: readonly string[];
  /** Ends one as the system does that runs out of memory, and starts it anew. */
  kill(name: string): void;
  /** Starts one more. */
  add(name: string, role: string): void;
  /** Has one stand still, as a machine does that is suspended, or go on. */
  pause(name: string): void;
  goOn(name: string): void;
  /** Asks one to end, and starts it anew when it has. */
  replace(name: string): Promise<void>;
  /** Moves the clock of one, by milliseconds. */
  moveClock(name: string, ms: number): Promise<void>;
  /** When all have said that they are ready. */
  ready(): Promise<void>;
  /** Asks all to end. */
  leave(): Promise<void>;
  /** What they said on stderr so far, one text for each start of a process, the earliest first. */
  logs(): { name: string; text: string }[];
  /** Those that ended by themselves, or did not end well when they were asked to. */
  deaths: string[];
}

const CLOCK = pathToFileURL(join(import.meta.dirname, "../../children/moved-clock.ts")).href;
const announcement = z.object({ address: z.string().nullable() });

/** `roles` by the names of the processes. */
export function startProcesses(
  desk: Desk,
  roles: Record<string, string>,
  { env, balancer }: { env: Record<string, string>; balancer: LoadBalancer },
): Processes {
  type Running = ReturnType<typeof startRelay> & { fate: "runs" | "killed" | "asked" };
  const running = new Map<string, Running>();
  const logs: (() => { name: string; text: string })[] = [];
  const deaths: string[] = [];
  const clockOf = (name: string) => join(desk.folder, `clock-${name}`);
  const extra = { NODE_OPTIONS: `--import=${CLOCK}`, NODE_NO_WARNINGS: "1" };

  const watch = async (name: string, one: Running) => {
    const { code, err } = await one.ended;
    // Before it has begun to listen to signals, one ends it as any program.
    const begun = one.said.out !== "" || one.said.err !== "";
    const well = one.fate === "killed" || (one.fate === "asked" && (code === 0 || (code === null && !begun)));
    if (!well) deaths.push(`${name}, which ${one.fate}, ended with ${code}: ${err.slice(-2_000)}`);
  };
  const lead = (name: string, one: Running) => {
    if (!one.said.out.includes("\n")) return;
    const { address } = announcement.parse(JSON.parse(one.said.out.split("\n")[0] ?? ""));
    if (running.get(name) === one && one.fate === "runs") balancer.lead(name, address);
  };
  const start = (name: string) => {
    const started = startRelay(desk, ["serve", "--port", "0", "--json", "--role", roles[name] ?? ""], {
      env: { ...env, ...extra, RELAY_TEST_CLOCK: clockOf(name) },
    });
    const one: Running = { ...started, fate: "runs" };
    running.set(name, one);
    logs.push(() => ({ name: `${name} (${started.child.pid})`, text: one.said.err }));
    one.child.stdout.on("data", () => lead(name, one));
    void watch(name, one);
  };
  const of = (name: string): Running => {
    const one = running.get(name);
    if (!one) throw new Error(`there is no process ${name}`);
    return one;
  };
  const ask = async (name: string) => {
    const one = of(name);
    one.fate = "asked";
    one.child.kill("SIGTERM");
    await one.ended;
    balancer.lead(name, null);
  };
  const names = Object.keys(roles);
  for (const name of names) start(name);
  onTestFinished(async () => {
    for (const one of running.values()) {
      one.fate = "killed";
      one.child.kill("SIGKILL");
    }
    await Promise.all([...running.values()].map(async (one) => await one.ended));
  });
  return {
    names,
    deaths,
    logs: () => logs.map((read) => read()),
    kill: (name) => {
      const one = of(name);
      one.fate = "killed";
      one.child.kill("SIGKILL");
      balancer.lead(name, null);
      start(name);
    },
    add: (name, role) => {
      roles[name] = role;
      start(name);
    },
    pause: (name) => {
      of(name).child.kill("SIGSTOP");
      balancer.lead(name, null);
      // Connections that are kept alive would lead to it still.
      balancer.cut();
    },
    goOn: (name) => {
      of(name).child.kill("SIGCONT");
      lead(name, of(name));
    },
    replace: async (name) => {
      await ask(name);
      start(name);
    },
    moveClock: async (name, ms) => await writeFile(clockOf(name), String(ms)),
    ready: async () => {
      await expect.poll(() => [...running.values()].every((one) => one.said.out.includes("\n"))).toBe(true);
    },
    leave: async () => {
      await Promise.all(names.map(ask));
    },
  };
}
