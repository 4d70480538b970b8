import { systemClock } from "../../src/lib/clock.ts";
import { snowflakes } from "../../src/lib/ids.ts";
import { localPeople } from "../../src/adapters/trackers/local/people.ts";
import { localTracker } from "../../src/adapters/trackers/local/tracker.ts";
import { freshDatabase } from "./database.ts";

/** A local project `demo`, in which `relay` and `bob` may write and `ann` may read. */
export async function localDemo() {
  const { db } = await freshDatabase();
  const deps = { clock: systemClock, ids: snowflakes() };
  const people = localPeople(db, deps);
  await people.createProject("demo");
  await people.setMember("demo", "relay", "write", true);
  await people.setMember("demo", "bob", "write");
  await people.setMember("demo", "ann", "read");
  return { people, tracker: localTracker(db, { bot: "relay", ...deps }) };
}
