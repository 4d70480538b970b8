// Refreshes a mirror like any Relay process would; driven by the tests beside src/code/mirror.
import { systemClock } from "../../src/lib/clock.ts";
import { messageOf } from "../../src/lib/errors.ts";
import { refreshMirror } from "../../src/code/mirror/refresh.ts";

const [home = "", url = ""] = process.argv.slice(2);
try {
  const mirror = await refreshMirror({ url }, { home, clock: systemClock });
  process.stdout.write(`refreshed ${mirror.directory}\n`);
} catch (error) {
  process.stdout.write(`failed: ${messageOf(error)}\n`);
}
