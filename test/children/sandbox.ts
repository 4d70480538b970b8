import { bubblewrap } from "../../src/sandbox/bubblewrap/bubblewrap.ts";

/** Runs a script in bubblewrap, to be killed while it does. */
const [tree = "", folder = "", script = ""] = process.argv.slice(2);
const place = await bubblewrap().open({
  writable: [tree],
  readable: [],
  hosts: ["allowed.example.com"],
  models: [],
  folder,
  memoryMb: null,
  processes: null,
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
