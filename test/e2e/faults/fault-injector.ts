import type { DatabaseLine } from "../../support/database-proxy.ts";
import { sleep } from "../../../src/lib/clock.ts";
import type { Dice } from "./rng.ts";
import type { Door } from "./load-balancer.ts";
import type { Staff } from "./processes.ts";
import type { Town } from "./world.ts";
import { FATES, PLACES, TROUBLES } from "./world.ts";

export interface Place {
  towns: readonly [Town, ...Town[]];
  staff: Staff;
  door: Door;
  /** Away for a moment, or killed and started anew. */
  database: Pick<DatabaseLine, "cut" | "mend">;
}

const DAY = 86_400_000;
const SILENCE_MS = 60_000;

/** What goes wrong around a Relay, one thing for each call, as the dice fall; tells what it was. */
export function misfortune({ towns, staff, door, database }: Place, dice: Dice) {
  const someone = () => dice.any(staff.names) ?? "";

  const database_away = async () => {
    database.cut();
    await sleep(100 + dice.roll() * 400);
    database.mend();
    return "the database is away for a moment";
  };
  return {
    small: async (): Promise<string> => {
      const town = dice.pick(towns);
      const roll = dice.roll();
      if (roll < 0.45) {
        const trouble = { kind: dice.pick(TROUBLES), at: dice.pick(PLACES) };
        await town.trouble(trouble);
        return `${town.provider} has trouble with ${trouble.at}: ${trouble.kind}`;
      }
      if (roll < 0.8) {
        const fate = dice.pick(FATES);
        await town.deliveries(fate);
        return `deliveries of ${town.provider}: ${fate}`;
      }
      if (roll < 0.9) {
        const [name, ms] = [someone(), dice.pick([-DAY, -600_000, 0, 600_000, DAY])];
        await staff.moveClock(name, ms);
        return `the clock of ${name} is off by ${ms} ms`;
      }
      if (roll < 0.95) {
        door.cut();
        return "webhook calls are cut";
      }
      return await database_away();
    },
    kill: async (): Promise<string> => {
      const name = someone();
      staff.kill(name);
      return await Promise.resolve(`${name} is killed`);
    },
    replace: async (): Promise<string> => {
      const name = someone();
      await staff.replace(name);
      return `${name} is replaced`;
    },
    database_away,
    /** Relay is killed just when it has asked for a comment and not heard what came of it. */
    killAtComment: async (): Promise<string> => {
      const town = dice.pick(towns);
      const when = dice.pick(["after", "after", "before"] as const);
      const before = await town.unanswered();
      await town.deliveries("send");
      await town.silence(when);
      // What is as vague as this makes Relay ask.
      await town.act({ do: "open", as: "ann", title: "Wrong total", body: "The total is wrong.", assigned: true });
      for (const end = performance.now() + SILENCE_MS; performance.now() < end; await sleep(50)) {
        if ((await town.unanswered()) === before) continue;
        for (const name of staff.names) staff.kill(name);
        return `all are killed at a comment of ${town.provider}, ${when} it is there`;
      }
      return `nothing was said to ${town.provider}`;
    },
  };
}
