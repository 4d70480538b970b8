import { createServer, connect } from "node:net";
import { once } from "node:events";
import { describe, expect, onTestFinished, test } from "vitest";
import { bubblewrapStage, HAS_BUBBLEWRAP } from "../../../../test/support/bubblewrap-fixture.ts";
import { letIn } from "../../../../test/support/open-gateway.ts";
import { serveOnLoopback } from "../../../../test/support/loopback.ts";
import { serveTls } from "../../../../test/support/tls.ts";
import type { Network } from "../egress-proxy/network.ts";

/** A network in which every name has a public address, and every address is the server at `origin`. */
function networkOf(origin: string, addresses: Record<string, string[]> = {}): Network {
  return {
    addressesOf: async (host) => await Promise.resolve(addresses[host] ?? ["93.184.216.34"]),
    connect: () => connect(Number(new URL(origin).port), "127.0.0.1"),
  };
}

describe.skipIf(!HAS_BUBBLEWRAP)("the network of a program in bubblewrap", () => {
  test("allowed hosts answer; all others are refused, and told of once", async () => {
    const origin = await serveOnLoopback((request, response) => {
      response.end(`${request.headers.host} ${request.url}`);
    });
    const stage = await bubblewrapStage(
      { hosts: ["registry.example.com", "*.files.example.com", "inner.example.com"] },
      networkOf(origin, { "inner.example.com": ["10.0.0.1", "127.0.0.1", "::1"] }),
    );
    const urls = [
      "http://registry.example.com/a?b=1",
      "http://x.files.example.com/",
      "http://elsewhere.example.com/",
      "http://elsewhere.example.com/again",
      "http://inner.example.com/",
      "http://169.254.169.254/latest/meta-data/",
      "http://registry.example.com:81/",
    ];
    const told = await stage.sh(
      `for url in ${urls.join(" ")}; do curl -sS -w ' %{http_code}\\n' "$url" | tr '\\n' ' '; echo; done`,
    );
    expect(told.stdout.split("\n").map((line) => line.trim().replace("  ", " "))).toEqual([
      "registry.example.com /a?b=1 200",
      "x.files.example.com / 200",
      "relay: elsewhere.example.com is not among the hosts that this run may reach 403",
      "relay: elsewhere.example.com is not among the hosts that this run may reach 403",
      "relay: inner.example.com is an address of this machine or of its network 403",
      "relay: 169.254.169.254 is not among the hosts that this run may reach 403",
      "relay: registry.example.com:81 is not among the hosts that this run may reach 403",
      "",
    ]);
    expect(stage.place.refusedHosts().map(({ host }) => host)).toEqual([
      "elsewhere.example.com",
      "inner.example.com",
      "169.254.169.254",
      "registry.example.com:81",
    ]);
  });

  test("a tunnel leads to the allowed host that it was asked for, and nowhere else", async () => {
    const { port } = await serveTls((socket) => {
      socket.once("data", () => socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nthrough"));
    });
    const stage = await bubblewrapStage({ hosts: ["tls.example.com"] }, networkOf(`http://127.0.0.1:${port}`));
    const told = await stage.sh(
      `for host in tls.example.com other.example.com 127.0.0.1 [::1] tls.example.com:22; do
         curl -sSk --noproxy "" https://$host/hello 2>&1; echo; done
       curl -sSk --connect-to evil.example.com:443:tls.example.com:443 https://evil.example.com/ 2>&1
       NODE_TLS_REJECT_UNAUTHORIZED=0 NODE_NO_WARNINGS=1 ${process.execPath} -e '
         fetch("https://tls.example.com/").then(async (answer) => console.log("fetch:", await answer.text()))'`,
    );
    expect(told.stdout).toMatch(/^through\n/);
    expect(told.stdout).toContain("fetch: through\n");
    expect(told.stdout.match(/response 403/g)).toHaveLength(4);
    expect(told.stdout).toMatch(/unrecognized name/);
    expect(stage.place.refusedHosts()).toContainEqual({
      host: "evil.example.com",
      reason: "a TLS connection to tls.example.com was for evil.example.com",
      unlisted: true,
    });
  });

  test("raw sockets lead nowhere: not to the machine's own servers, by address or by file, and not outside", async () => {
    const origin = await serveOnLoopback((request, response) => void response.end("host"));
    const abstract = createServer((socket) => socket.end("abstract"));
    abstract.listen({ path: "\0relay-sandbox-test" });
    await once(abstract, "listening");
    onTestFinished(() => void abstract.close());
    const { sh } = await bubblewrapStage({ hosts: ["allowed.example.com"] });
    const told = await sh(
      `node -e '
        const net = require("node:net");
        const dgram = require("node:dgram");
        const tries = [{ host: "127.0.0.1", port: ${new URL(origin).port} }, { path: "\\0relay-sandbox-test" },
          { host: "169.254.169.254", port: 80 }, { host: "1.1.1.1", port: 443 }, { host: "example.com", port: 80 }];
        let left = tries.length;
        for (const at of tries) {
          const socket = net.connect(at, () => { console.log("reached", JSON.stringify(at)); process.exit(1); });
          socket.on("error", () => { left -= 1; if (left === 0) console.log("held"); });
        }
        const udp = dgram.createSocket("udp4");
        udp.send("x", 53, "1.1.1.1", (error) => { console.log(error ? "held" : "sent"); udp.close(); });
      '`,
    );
    expect(told.stdout).toBe("held\nheld\n");
  });

  test("a model answers, event by event, with a key that the program never has", async () => {
    const seen: unknown[] = [];
    const origin = await serveOnLoopback(async (request, response) => {
      seen.push({ url: request.url, key: request.headers["x-api-key"], authorization: request.headers.authorization });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: one\n\n");
      await once(request.resume(), "end");
      response.end("data: two\n\n");
    });
    const { sh, place } = await bubblewrapStage({
      models: [
        { variable: "MODEL_URL", url: `${origin}/base`, headers: { "X-Api-Key": "the-real-key" }, enter: letIn },
      ],
    });
    const told = await sh(
      `curl -sS -H 'x-api-key: made-up' -H 'authorization: Bearer made-up' -d '{"a":1}' "$MODEL_URL/v1/messages?beta=true"
       curl -sS --path-as-is -o /dev/null -w '%{http_code}\\n' "$MODEL_URL/../admin"
       curl -sS --path-as-is -o /dev/null -w '%{http_code}\\n' "$MODEL_URL/%2e%2e%2fadmin"
       curl -sS -o /dev/null -w '%{http_code}\\n' "\${MODEL_URL%/*/*}/guess/0/v1"
       env; cat /proc/*/environ /proc/*/cmdline`,
    );
    expect(told.stdout).toContain("data: one\n\ndata: two\n\n403\n403\n404\n");
    expect(told.stdout).not.toContain("the-real-key");
    expect(seen).toEqual([{ url: "/base/v1/messages?beta=true", key: "the-real-key", authorization: undefined }]);
    expect(place.refusedHosts()).toEqual([]);
  });

  test("a place in a folder with a very long name has its egress too", async () => {
    const origin = await serveOnLoopback((request, response) => void response.end("reached"));
    const first = await bubblewrapStage();
    const { sh } = await bubblewrapStage({
      models: [{ variable: "MODEL_URL", url: origin, headers: {}, enter: letIn }],
      folder: `${first.root}/${"long".repeat(40)}`,
    });
    expect((await sh(`curl -sS "$MODEL_URL/"`)).stdout).toBe("reached");
  });

  test("the exit code, the input and the end of a program are the same behind the bridge", async () => {
    const { sh, place, tree } = await bubblewrapStage({ hosts: ["allowed.example.com"] });
    expect(await sh("exit 9")).toMatchObject({ ending: "exit", code: 9 });
    expect(await sh("trap 'echo asked; exit 0' TERM; echo on; sleep 1000 & wait", { timeoutMs: 1_500 })).toMatchObject({
      ending: "timeout",
      stdout: "on\nasked\n",
    });
    const program = await place.launch({
      command: "cat",
      args: [],
      cwd: tree,
      environment: {},
      stdin: "open",
      timeoutMs: 100_000,
      mostOutputBytes: 1_000,
    });
    program.stdin?.end("typed");
    expect((await program.stdout.toArray()).join("")).toBe("typed");
  });
});
