import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { basename, join, resolve } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { serveOnLoopback } from "../../../../test/support/loopback.ts";
import { letIn } from "../../../../test/support/open-gateway.ts";
import { sandboxStage, type Stage } from "../../../../test/support/sandbox-fixture.ts";
import { outcome, request } from "../../../../test/support/sandboxed.ts";
import { exec } from "../../../lib/exec.ts";
import { type Network, hostNetwork } from "../egress-proxy/network.ts";
import { probeSandbox } from "../find.ts";
import type { SandboxSpec } from "../sandbox.ts";
import { container } from "./container.ts";

/** `docker IMAGE` or `podman IMAGE`; docs/sandbox.md says how. Without it there is nothing to try here. */
const [command = "docker", image = ""] = (process.env["RELAY_TEST_CONTAINER"] ?? "").split(" ");

const probe = image === "" ? null : await probeSandbox({ wanted: "container", container: { command, image } });
const isBounded = probe?.ok !== true || probe.sandbox.enforcement.memory === "kernel";

async function stage(rest: Partial<SandboxSpec> = {}, network: Network = hostNetwork): Promise<Stage> {
  return await sandboxStage(container({ command, image, network }), rest, "tree, with a comma");
}

/** Names of Relay's containers that the engine knows of, running or not. */
async function containers(): Promise<string[]> {
  const { stdout } = await exec(command, ["ps", "--all", "--filter=name=relay-", "--format={{.Names}}"]);
  return stdout
    .toString("utf8")
    .split("\n")
    .filter((name) => name !== "");
}

describe.skipIf(image === "")("a real container engine", { timeout: 120_000 }, () => {
  test("works, as doctor finds out; an image that is not there is told of", async () => {
    expect(probe).toMatchObject({ ok: true, detail: expect.stringMatching(/disk space and files are watched/) });
    const none = await probeSandbox({ wanted: "container", container: { command, image: "no.such/image:1" } });
    expect(none).toMatchObject({ ok: false, detail: expect.stringContaining("no.such/image") });
  });

  test("a program changes its tree, as Relay's own user, and nothing else", async () => {
    const readable = mkdtempSync(join(tmpdir(), "relay-readable-"));
    onTestFinished(() => rmSync(readable, { recursive: true }));
    writeFileSync(join(readable, "config"), "as it was");
    const { sh, tree } = await stage({ readable: [readable] });
    const told = await sh(`cat ${readable}/config; pwd; echo done > made; mkdir sub; touch ~/x /tmp/x
      for f in ${readable}/new ${readable}/config /usr/new /etc/new /new /run/relay/bridge.mjs /run/relay/egress/new; do
        (echo bad > $f) 2>/dev/null && echo "wrote $f"
      done; mknod null c 1 3 2>/dev/null && echo made a device; mount -t tmpfs x /tmp 2>/dev/null && echo mounted; exit 3`);
    expect(told).toMatchObject({ ending: "exit", code: 3, stdout: `as it was${tree}\n` });
    expect(readFileSync(join(tree, "made"), "utf8")).toBe("done\n");
    expect(statSync(join(tree, "sub"))).toMatchObject({ uid: process.getuid?.(), gid: process.getgid?.() });
    expect(readFileSync(join(readable, "config"), "utf8")).toBe("as it was");
  });

  test("it sees neither Relay's environment, nor other files and processes of the machine", async () => {
    process.env["RELAY_TEST_SECRET"] = "tracker-token-of-relay";
    process.env["HTTP_PROXY"] = "http://user:proxy-password@proxy.invalid";
    const { sh, root } = await stage();
    writeFileSync(join(root, "secret"), "of-relays-home");
    const told = await sh(
      `env; cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline | tr '\\0' '\\n'; cat ${root}/secret; ls ${root} /root /home /var/run/docker.sock`,
      { environment: { OWN: "given  # and 'kept' " } },
    );
    delete process.env["RELAY_TEST_SECRET"];
    delete process.env["HTTP_PROXY"];
    expect(told.stdout).toContain("OWN=given  # and 'kept' \n");
    expect(told.stdout).not.toMatch(/tracker-token-of-relay|proxy-password|of-relays-home|VITEST|npm_/);
    expect(told.stdout).not.toContain(basename(process.execPath) === "node" ? process.execPath : "vitest");
  });

  test("the egress proxy is its only way out, and the key of a model stays outside", async () => {
    const origin = await serveOnLoopback((incoming, response) => {
      response.end(`${incoming.url} ${String(incoming.headers["x-api-key"] ?? "no key")}`);
    });
    const network = { ...hostNetwork, connect: () => connect(Number(new URL(origin).port), "127.0.0.1") };
    const all = { ...network, addressesOf: async () => await Promise.resolve(["93.184.216.34"]) };
    const models = [
      { variable: "MODEL_URL", url: `${origin}/v1`, headers: { "x-api-key": "key-of-relay" }, enter: letIn },
    ];
    const { sh, place } = await stage({ hosts: ["allowed.example.com"], models }, all);
    const asks = `const { request } = require("node:http"); const { connect } = require("node:net");
      const ask = (options) => new Promise((told) => request(options, (answer) => {
        let text = ""; answer.on("data", (part) => { text += part; }).on("end", () => told(text.trim()));
      }).on("error", (error) => told(error.code)).end());
      const { hostname, port, pathname } = new URL(process.env.MODEL_URL);
      const proxied = (host) => ask({ host: "127.0.0.1", port, path: "http://" + host + "/x", headers: { host } });
      (async () => {
        for (const told of [await ask({ hostname, port, path: pathname + "/messages" }), await proxied("allowed.example.com"),
          await proxied("other.example.com"), await ask({ host: "127.0.0.1", port: ${new URL(origin).port} }),
          await new Promise((told) => connect(80, "93.184.216.34").on("error", (error) => told(error.code)))]) console.log(told);
      })()`;
    const told = await outcome(place.launch, request("node", ["-e", asks], { cwd: "/tmp" }));
    expect(told.stdout.split("\n")).toEqual([
      "/v1/messages key-of-relay",
      "/x no key",
      "relay: other.example.com is not among the hosts that this run may reach",
      "ECONNREFUSED",
      "ENETUNREACH",
      "",
    ]);
    expect(place.refusedHosts().map(({ host }) => host)).toEqual(["other.example.com"]);
    expect((await sh("cat /proc/*/environ | tr '\\0' '\\n'")).stdout).not.toContain("key-of-relay");
  });

  // As podman without root where the kernel has the first form of groups.
  test.skipIf(isBounded)("an engine that bounds nothing is known as one", () => {
    expect(probe?.detail).toContain("nothing limits memory and the number of processes");
  });

  test.skipIf(!isBounded)(
    "memory and processes are bounded by the kernel, and passing the bounds is told of",
    async () => {
      const { sh, place, tree } = await stage({ memoryMb: 256, processes: 40 });
      const eats = "const kept = []; while (kept.length < 200) kept.push(Buffer.alloc(5e6, 1))";
      const hog = await outcome(place.launch, request("node", ["-e", eats], { cwd: tree }));
      expect(hog.code).not.toBe(0);
      const forks = await sh("i=0; while [ $i -lt 200 ]; do sleep 1000 & i=$((i+1)); done; wait");
      expect(forks.code).not.toBe(0);
      expect(forks.stderr).toMatch(/fork/i);
      expect(hog.stderr).toMatch(/^relay: node and what it started took more memory than they may$/m);
      expect(forks.stderr).toMatch(/^relay: sh and what it started ran more processes at a time than they may$/m);
      expect(await containers()).toEqual([]);
    },
  );

  test("time and output are bounded, and what is asked to end is asked first", async () => {
    const { sh, place, tree } = await stage();
    const asked = await sh("trap 'echo asked; exit 0' TERM; echo on; while :; do sleep 0.1; done", {
      timeoutMs: 4_000,
    });
    expect(asked).toMatchObject({ ending: "timeout", stdout: "on\nasked\n" });
    const deaf = await sh(
      `trap "" TERM; setsid sh -c 'trap "" TERM; sleep 1000' & echo on; while :; do sleep 1; done`,
      {
        timeoutMs: 4_000,
      },
    );
    expect(deaf).toMatchObject({ ending: "timeout", stdout: "on\n" });
    const flood = await sh("yes", { mostOutputBytes: 100_000 });
    expect(flood).toMatchObject({ ending: "flooded" });
    expect(flood.stdout.length).toBe(100_000);
    const typed = await place.launch(request("cat", [], { cwd: tree, stdin: "open" }));
    typed.stdin?.end("typed");
    expect((await typed.stdout.toArray()).join("")).toBe("typed");
    expect(await containers()).toEqual([]);
  });

  test("many at once end each by itself, and nothing of them is left", async () => {
    const { sh, root } = await stage();
    const all = await Promise.all(Array.from({ length: 6 }, async (_, n) => await sh(`sleep 0.${n}; exit ${n}`)));
    expect(all.map(({ code }) => code)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(await containers()).toEqual([]);
    const { stdout } = await exec("find", [join(root, "place"), "-name", "scratch-*"]);
    expect(stdout.toString()).toBe("");
  });

  test.each(["Relay alone", "Relay and all that it started"])(
    "where %s is killed, its container ends, and nothing of it is left",
    async (who) => {
      const { root, tree } = await stage();
      const script = `setsid sleep 1000 & touch started; exec sleep 1000`;
      const child = resolve("test/children/sandbox.ts");
      const relay = spawn(process.execPath, [child, tree, join(root, "other"), script, command, image], {
        stdio: "inherit",
      });
      onTestFinished(() => void relay.kill("SIGKILL"));
      await expect.poll(() => existsSync(join(tree, "started")), { timeout: 30_000 }).toBe(true);
      const started = await exec("pgrep", ["-P", String(relay.pid)]);
      relay.kill("SIGKILL");
      if (who !== "Relay alone") process.kill(Number(started.stdout.toString()), "SIGKILL");
      await once(relay, "exit");
      await expect.poll(containers, { timeout: 30_000 }).toEqual([]);
    },
  );
});
