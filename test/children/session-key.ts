import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bubblewrap } from "../../src/adapters/sandbox/bubblewrap/bubblewrap.ts";
import { UNLIMITED } from "../../src/adapters/sandbox/sandbox.ts";
import { outcome, request } from "../support/sandboxed.ts";

// Reads a key of this process's session, here and in a sandbox that it opens; prints both.
const reads = `my $room = "\\0" x 64; syscall(250, 11, ${process.argv[2]}, $room, 64); print $room =~ s/\\0//gr`;
const folder = mkdtempSync(join(tmpdir(), "relay-session-"));
const place = await bubblewrap().open({
  writable: [],
  readable: [],
  hosts: [],
  privateNetwork: [],
  models: [],
  folder,
  ...UNLIMITED,
});
const inside = await outcome(place.launch, request("/usr/bin/perl", ["-e", reads], { cwd: "/tmp" }));
process.stdout.write(`outside: ${execFileSync("/usr/bin/perl", ["-e", reads], { encoding: "utf8" })}\n`);
process.stdout.write(`inside: ${inside.stdout}\n`);
await place.close();
rmSync(folder, { recursive: true });
