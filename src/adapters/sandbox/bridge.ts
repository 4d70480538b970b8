// The first program in a place without a network: it joins a port there to the socket that leads to the door outside,
// runs the program that is wanted, and ends with it. It is shown to Node as plain JavaScript, so nothing here is of
// TypeScript's own, and it imports no other file.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { constants } from "node:os";

const [port = "", socket = "", leash = "", command = "", ...args] = process.argv.slice(2);

// Where a container sees that the kernel has kept it to a bound, by the two forms of the kernel's groups. Elsewhere
// nobody sees these files, and Relay tells it from outside.
const groups = "/sys/fs/cgroup";
const bounds = [
  {
    files: [`${groups}/memory.events`, `${groups}/memory/memory.oom_control`],
    pattern: /^oom_kill [1-9]/m,
    told: "took more memory",
  },
  {
    files: [`${groups}/pids.events`, `${groups}/pids/pids.events`],
    pattern: /^max [1-9]/m,
    told: "ran more processes at a time",
  },
];

const server = createServer({ allowHalfOpen: true }, (inside) => {
  const outside = connect({ path: socket, allowHalfOpen: true });
  inside.on("error", () => outside.destroy());
  outside.on("error", () => inside.destroy());
  inside.on("close", () => outside.destroy());
  outside.on("close", () => inside.destroy());
  inside.pipe(outside).pipe(inside);
});

server.listen(Number(port), "127.0.0.1", () => {
  const program = spawn(command, args, { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    process.on(signal, () => {
      // In a container it comes to the first program alone; elsewhere the program gets it by itself.
      if (leash !== "") process.kill(program.pid ?? process.pid, signal);
    });
  }
  if (leash !== "") {
    // It is held by Relay, and breaks when Relay ends.
    const held = connect({ path: leash });
    held.on("error", () => {});
    held.on("close", () => process.exit(137));
    held.resume();
  }
  program.on("error", (error) => {
    process.stderr.write(`relay: cannot run ${command}: ${error.message}\n`);
    process.exit(127);
  });
  program.on("exit", (code, signal) => {
    for (const { files, pattern, told } of bounds) {
      const kept = files.some((file) => existsSync(file) && pattern.test(readFileSync(file, "utf8")));
      if (kept) process.stderr.write(`relay: ${command} and what it started ${told} than they may\n`);
    }
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
  });
});
