import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { outcome, request } from "../../../../test/support/sandboxed.ts";
import type { OpenSandbox, SandboxSpec } from "../sandbox.ts";
import { container } from "./container.ts";
import { containerName, removeOrphans } from "./orphans.ts";

/**
 * A stand-in for docker, which keeps no program from anything: it records what it was told, runs the bridge and the
 * program with the container's environment alone, and ends them when told to.
 */
const DOCKER = `#!/bin/sh
here=$(dirname "$0")
printf '%s\\n' "$*" >> "$here/calls"
case $1 in
run) ;;
ps) cat "$here/names"; exit 0 ;;
kill) kill -9 "$(cat "$here/pid")"; exit 0 ;;
*) exit 0 ;;
esac
while [ $# -gt 0 ]; do
  printf '%s\\n' "$1" >> "$here/arguments"
  case $1 in
  --env-file=*) variables=\${1#--env-file=}; cp "$variables" "$here/environment" ;;
  type=bind,*target=/run/relay/egress*) egress=\${1#*source=}; egress=\${egress%%,*} ;;
  type=bind,*target=/run/relay/bridge.mjs*) bridge=\${1#*source=}; bridge=\${bridge%%,*} ;;
  --entrypoint=*) shift; image=$1; shift; break ;;
  esac
  shift
done
shift; port=$1; shift 3
cp "$bridge" "$here/bridge.mjs"
set -- "$here/bridge.mjs" "$port" "$egress/socket" "$egress/liveness" "$@"
echo $$ > "$here/pid"
exec env -i PATH="$PATH" "\${NODE:-NODE_PATH_HERE}" "$@"
`;

interface Stage {
  root: string;
  tree: string;
  place: OpenSandbox;
  arguments: () => string[];
  calls: () => string;
}

async function stage(rest: Partial<SandboxSpec> = {}): Promise<Stage> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "relay-container-")));
  const tree = join(root, "tree, with a comma");
  mkdirSync(tree);
  const command = join(root, "docker");
  writeFileSync(command, DOCKER.replace("NODE_PATH_HERE", process.execPath));
  chmodSync(command, 0o755);
  const place = await container({ command, image: "registry.example/agent:1" }).open({
    writable: [tree],
    readable: ["/usr/share"],
    hosts: [],
    privateNetwork: [],
    models: [],
    folder: join(root, "place"),
    memoryMb: 512,
    processes: 100,
    diskMb: null,
    files: null,
    ...rest,
  });
  onTestFinished(async () => await place.close());
  const read = (name: string): string => (existsSync(join(root, name)) ? readFileSync(join(root, name), "utf8") : "");
  return { root, tree, place, arguments: () => read("arguments").split("\n"), calls: () => read("calls") };
}

test("a container has no network, no rights, files of its own, and the bounds of the place", async () => {
  const { place, tree, arguments: told } = await stage();
  expect(await outcome(place.launch, request("sh", ["-c", "echo ran; exit 4"], { cwd: tree }))).toMatchObject({
    ending: "exit",
    code: 4,
    stdout: "ran\n",
  });
  expect(told()).toEqual(
    expect.arrayContaining([
      "run",
      "--rm",
      "--init",
      "--pull=never",
      "--network=none",
      "--read-only",
      "--cap-drop=ALL",
      "--security-opt=no-new-privileges",
      "--log-driver=none",
      "--memory=512m",
      "--memory-swap=512m",
      "--pids-limit=100",
      `--user=${process.getuid?.()}:${process.getgid?.()}`,
      `type=bind,"source=${tree}","target=${tree}"`,
      "type=bind,source=/usr/share,target=/usr/share,readonly",
      `--workdir=${tree}`,
    ]),
  );
  expect(told().join("\n")).not.toMatch(/--privileged|--volume|docker\.sock/);
});

test("a bound that is not wanted is not set, and input is open where it is asked for", async () => {
  const { place, tree, arguments: told } = await stage({ memoryMb: null, processes: null });
  const program = await place.launch(request("cat", [], { cwd: tree, stdin: "open" }));
  program.stdin?.end("typed");
  expect((await program.stdout.toArray()).join("")).toBe("typed");
  await program.exit;
  expect(told().join("\n")).not.toMatch(/--memory|--pids-limit/);
  expect(told()).toContain("--interactive");
});

test("the environment stands in a file, not in arguments, and is gone afterwards", async () => {
  const { place, tree, root, arguments: told } = await stage();
  await outcome(place.launch, request("true", [], { cwd: tree, environment: { OWN: "value of mine" } }));
  expect(readFileSync(join(root, "environment"), "utf8")).toMatch(/^OWN=value of mine$/m);
  expect(told().join("\n")).not.toContain("value of mine");
  const file = told().find((each) => each.startsWith("--env-file="));
  expect(existsSync(file?.slice("--env-file=".length) ?? "")).toBe(false);
  const severalLines = request("true", [], { cwd: tree, environment: { OWN: "a\nPATH=/tmp" } });
  await expect(place.launch(severalLines)).rejects.toMatchObject({ code: "config" });
});

test("folders can come first on the image's own PATH, and the program itself is not looked for there", async () => {
  const { place, tree } = await stage();
  for (const name of ["sh", "own"]) writeFileSync(join(tree, name), "#!/bin/bash\necho planted\n", { mode: 0o755 });
  const asked = request("sh", ["-c", "own; echo $0", "a b"], { cwd: tree, pathFirst: [tree] });
  expect((await outcome(place.launch, asked)).stdout).toBe("planted\na b\n");
});

test("a program that ignores being asked is killed by the container's name", async () => {
  const { place, tree, calls } = await stage();
  const told = await outcome(
    place.launch,
    request("sh", ["-c", `trap "" TERM; echo on; while :; do sleep 0.1; done`], { cwd: tree, timeoutMs: 1_500 }),
  );
  expect(told).toMatchObject({ ending: "timeout", stdout: "on\n" });
  expect(calls()).toMatch(/^kill relay-[0-9a-f-]+$/m);
  expect(calls()).toMatch(/^rm --force relay-[0-9a-f-]+$/m);
});

test("a program in a container is asked to end before it is killed", async () => {
  const { place, tree } = await stage();
  const program = await place.launch(
    request("sh", ["-c", "trap 'echo asked; exit 0' TERM; echo on; while :; do sleep 0.1; done"], { cwd: tree }),
  );
  program.stdout.once("data", () => program.end());
  expect((await program.stdout.toArray()).join("")).toBe("on\nasked\n");
  expect(await program.exit).toMatchObject({ ending: "stopped" });
});

test("containers of a Relay that is gone are removed, those of others and of one that lives stay", async () => {
  const { root, calls } = await stage();
  const own = containerName();
  const [, bootId = ""] = own.split("-");
  // Numbers of processes end before this one.
  const gone = own.replace(`-${process.pid}-`, "-999999999-");
  const names = [own, gone, gone.replace(bootId, "0123456789ab"), "relay-web-1", "postgres"];
  writeFileSync(join(root, "names"), names.join("\n"));
  await removeOrphans(join(root, "docker"));
  expect(calls().match(/^rm .*$/gm)).toEqual([`rm --force ${gone}`]);
});

test("closing the place, as the end of Relay does, closes the liveness socket of what still runs", async () => {
  const { place, tree, root } = await stage();
  const program = await place.launch(request("sh", ["-c", "echo on; sleep 1000"], { cwd: tree }));
  await expect.poll(() => existsSync(join(root, "pid"))).toBe(true);
  await place.close();
  expect(await program.exit).toMatchObject({ ending: "stopped" });
});
