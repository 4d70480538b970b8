import type { DatabaseLine } from "../../support/database-proxy.ts";
import { sleep } from "../../../src/lib/clock.ts";
import type { Rng } from "./rng.ts";
import type { LoadBalancer } from "./load-balancer.ts";
import type { Processes } from "./processes.ts";
import { type World, FATES, HAPPENINGS, PLACES, TROUBLES } from "./world.ts";

export interface Place {
  worlds: readonly [World, ...World[]];
  processes: Processes;
  balancer: LoadBalancer;
  /** Away for a moment, or killed and started anew. */
  database: Pick<DatabaseLine, "cut" | "mend">;
}

const DAY = 86_400_000;
const LAGS = [0, 200, 700, 3_000] as const;
/** Of so many is told again. */
const FIRST_ISSUES = 4;
const SILENCE_MS = 60_000;

/** What goes wrong around a Relay, one thing for each call, drawn from the seed; returns what it was. */
export function faultInjector({ worlds, processes, balancer, database }: Place, rng: Rng) {
  const someone = () => rng.any(processes.names) ?? "";

  const database_away = async () => {
    database.cut();
    await sleep(100 + rng.roll() * 400);
    database.mend();
    return "the database is away for a moment";
  };
  return {
    small: async (): Promise<string> => {
      const world = rng.pick(worlds);
      if (rng.odds(0.08)) {
        const [what, issue] = [rng.pick(HAPPENINGS), 1 + Math.floor(rng.roll() * FIRST_ISSUES)];
        await world.replay(what, issue);
        return `${world.provider} tells again under other ids that #${issue} was ${what}`;
      }
      const roll = rng.roll();
      if (roll < 0.1) {
        const lists = rng.pick(LAGS);
        const lag = { lists, count: rng.pick([0, lists]), issue: rng.pick([0, 800]) };
        await world.lag(lag);
        return `reading ${world.provider} is behind: ${JSON.stringify(lag)}`;
      }
      if (roll < 0.45) {
        const trouble = { kind: rng.pick(TROUBLES), at: rng.pick(PLACES) };
        await world.trouble(trouble);
        return `${world.provider} has trouble with ${trouble.at}: ${trouble.kind}`;
      }
      if (roll < 0.8) {
        const fate = rng.pick(FATES);
        await world.deliveries(fate);
        return `deliveries of ${world.provider}: ${fate}`;
      }
      if (roll < 0.9) {
        const [name, ms] = [someone(), rng.pick([-DAY, -600_000, 0, 600_000, DAY])];
        await processes.moveClock(name, ms);
        return `the clock of ${name} is off by ${ms} ms`;
      }
      if (roll < 0.95) {
        balancer.cut();
        return "webhook calls are cut";
      }
      return await database_away();
    },
    kill: async (): Promise<string> => {
      const name = someone();
      processes.kill(name);
      return await Promise.resolve(`${name} is killed`);
    },
    /** As a machine does that is suspended while the database takes it for dead. */
    standStill: async (): Promise<string> => {
      const name = someone();
      processes.pause(name);
      await database_away();
      await sleep(1_000 + rng.roll() * 2_000);
      processes.goOn(name);
      return `${name} stands still and loses its connections`;
    },
    replace: async (): Promise<string> => {
      const name = someone();
      await processes.replace(name);
      return `${name} is replaced`;
    },
    database_away,
    /** Relay is killed just when it has asked for a comment and not heard what came of it. */
    killAtComment: async (): Promise<string> => {
      const world = rng.pick(worlds);
      const when = rng.pick(["after", "after", "before"] as const);
      const before = await world.unanswered();
      await world.deliveries("send");
      await world.silence(when);
      // What is as vague as this makes Relay ask.
      await world.act({ do: "open", as: "ann", title: "Wrong total", body: "The total is wrong.", assigned: true });
      for (const end = performance.now() + SILENCE_MS; performance.now() < end; await sleep(50)) {
        if ((await world.unanswered()) === before) continue;
        for (const name of processes.names) processes.kill(name);
        return `all are killed at a comment of ${world.provider}, ${when} it is there`;
      }
      return `nothing was said to ${world.provider}`;
    },
  };
}
