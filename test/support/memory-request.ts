import { memoryTracker } from "../../src/adapters/trackers/memory/tracker.ts";

/** A project `demo` in memory, in which `relay` and `bob` may write and `ann` may read. */
export function memoryDemo() {
  const { tracker, people } = memoryTracker({ bot: "relay" });
  people.createProject("demo");
  people.setMember("demo", "relay", "write", true);
  people.setMember("demo", "bob", "write");
  people.setMember("demo", "ann", "read");
  return { tracker, people };
}
