// The first program in a sandbox without a network: it forwards a port to the socket of the egress proxy, runs the
// wanted program, and exits with it. Node loads it as plain JavaScript, so it has no TypeScript syntax and imports no
// other file.
import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { constants } from "node:os";

const [port = "", socket = "", liveness = "", command = "", ...args] = process.argv.slice(2);

// Where a container sees that the kernel enforced a limit, in both versions of control groups. In other sandboxes these
// files do not exist, and Relay reports it from the host.
const groups = "/sys/fs/cgroup";
const limits = [
  {
    files: [`${groups}/memory.events`, `${groups}/memory/memory.oom_control`],
    pattern: /^oom_kill [1-9]/m,
    exceeded: "took more memory",
    exitCode: 221,
  },
  {
    files: [`${groups}/pids.events`, `${groups}/pids/pids.events`],
    pattern: /^max [1-9]/m,
    exceeded: "ran more processes at a time",
    exitCode: 222,
  },
];

const server = createServer({ allowHalfOpen: true }, (client) => {
  const upstream = connect({ path: socket, allowHalfOpen: true });
  client.on("error", () => upstream.destroy());
  upstream.on("error", () => client.destroy());
  client.on("close", () => upstream.destroy());
  upstream.on("close", () => client.destroy());
  client.pipe(upstream).pipe(client);
});

server.listen(Number(port), "127.0.0.1", () => {
  const program = spawn(command, args, { stdio: "inherit" });
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) {
    process.on(signal, () => {
      // In a container only the first program gets the signal; elsewhere the program gets it as well.
      if (liveness !== "") process.kill(program.pid ?? process.pid, signal);
    });
  }
  if (liveness !== "") {
    // Relay holds the other end, which closes when Relay exits.
    const held = connect({ path: liveness });
    held.on("error", () => {});
    held.on("close", () => process.exit(137));
    held.resume();
  }
  program.on("error", (error) => {
    process.stderr.write(`relay: cannot run ${command}: ${error.message}\n`);
    process.exit(127);
  });
  program.on("exit", (code, signal) => {
    for (const { files, pattern, exceeded, exitCode } of limits) {
      const kept = files.some((file) => existsSync(file) && pattern.test(readFileSync(file, "utf8")));
      if (!kept) continue;
      process.stderr.write(`relay: ${command} and what it started ${exceeded} than they may\n`);
      // Tells Relay, outside, why it failed.
      if (code !== 0) process.exit(exitCode);
    }
    process.exit(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
  });
});
