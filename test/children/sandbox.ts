import { bubblewrap } from "../../src/adapters/sandbox/bubblewrap/bubblewrap.ts";
import { UNLIMITED } from "../../src/adapters/sandbox/sandbox.ts";
import { container } from "../../src/adapters/sandbox/container/container.ts";

/** Runs a script in bubblewrap, or in a container where an engine and an image are named, to be killed while it does. */
const [tree = "", folder = "", script = "", engine, image = ""] = process.argv.slice(2);
const sandbox = engine === undefined ? bubblewrap() : container({ command: engine, image });
const place = await sandbox.open({
  writable: [tree],
  readable: [],
  hosts: ["allowed.example.com"],
  privateNetwork: [],
  models: [],
  folder,
  ...UNLIMITED,
});
const program = await place.launch({
  command: "sh",
  args: ["-c", script],
  cwd: tree,
  environment: {},
  stdin: "closed",
  timeoutMs: 1_000_000,
  mostOutputBytes: 1_000,
});
await program.exit;
