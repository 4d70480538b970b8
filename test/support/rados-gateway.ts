import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { type Server, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { AwsClient } from "aws4fetch";
import { promisify } from "node:util";
import { randomUUID } from "node:crypto";
import type { BucketAccess } from "../../src/adapters/spec-stores/bucket.ts";

const run = promisify(execFile);
const PROGRAMS = ["ceph", "ceph-mon", "ceph-osd", "monmaptool", "radosgw", "radosgw-admin"];

/** Whether Ceph's programs are on this machine (Debian: ceph-mon, ceph-osd, radosgw). */
export function hasRadosGateway(): boolean {
  return PROGRAMS.every((program) => spawnSync("which", [program]).status === 0);
}

/** A real S3 server, Ceph's gateway, in memory and on loopback, with one bucket. It is up after some fifteen seconds. */
export async function startRadosGateway(bucket: string): Promise<{ access: BucketAccess; close: () => Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), "relay-ceph-"));
  const [mon, web] = await freePorts();
  const [cluster, osd] = [randomUUID(), randomUUID()];
  const conf = join(folder, "ceph.conf");
  const started: ChildProcess[] = [];
  let isClosing = false;
  const start = (program: string, ...args: string[]) => {
    const child = spawn(program, ["-c", conf, ...args, "-f"], { stdio: "ignore" });
    started.push(child);
    // One in ten first starts of ceph-osd ends at once: the monitor does not know itself yet ("wrong fsid").
    child.once("exit", () => {
      if (!isClosing && started.length < 10) start(program, ...args);
    });
  };
  const close = async () => {
    isClosing = true;
    for (const child of started.toReversed()) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      if (child.kill("SIGKILL")) await ended;
    }
    await rm(folder, { recursive: true, force: true });
  };
  try {
    for (const name of ["mon", "osd", "run"]) await mkdir(join(folder, name));
    await writeFile(conf, settings(folder, { cluster, mon, web }));
    const address = `[v1:127.0.0.1:${mon}]`;
    await run("monmaptool", ["--create", "--fsid", cluster, "--addv", "a", address, join(folder, "monmap")]);
    await run("ceph-mon", ["-c", conf, "-i", "a", "--mkfs", "--monmap", join(folder, "monmap")]);
    start("ceph-mon", "-i", "a");
    await run("ceph", ["-c", conf, "osd", "new", osd], { timeout: 120_000 });
    await run("ceph-osd", ["-c", conf, "-i", "0", "--mkfs", "--osd-uuid", osd]);
    start("ceph-osd", "-i", "0");
    const keys = { accessKeyId: "RELAYTEST", secretAccessKey: "a/secret+of=tests" };
    const user = ["--uid", "relay", "--display-name", "relay", "--access-key", keys.accessKeyId];
    const create = ["-c", conf, "user", "create", ...user, "--secret-key", keys.secretAccessKey];
    await run("radosgw-admin", create, { timeout: 120_000 });
    start("radosgw", "-n", "client.rgw");
    const endpoint = `http://127.0.0.1:${web}`;
    await makeBucket(`${endpoint}/${bucket}`, keys);
    return { access: { ...keys, sessionToken: null, region: "us-east-1", endpoint }, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function makeBucket(url: string, keys: { accessKeyId: string; secretAccessKey: string }): Promise<void> {
  const client = new AwsClient({ ...keys, service: "s3", region: "us-east-1", retries: 0 });
  for (let n = 0; n < 600; n += 1) {
    const answer = await client.fetch(url, { method: "PUT" }).catch(() => null);
    if (answer?.ok === true) return;
    await pause(200);
  }
  throw new Error("Ceph's gateway did not come up");
}

/** Two ports that were free at the same moment. */
async function freePorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()];
  const [first = 0, second = 0] = await Promise.all(servers.map(portOf));
  for (const server of servers) server.close();
  return [first, second];
}

async function portOf(server: Server): Promise<number> {
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : 0;
}

function settings(folder: string, { cluster, mon, web }: { cluster: string; mon: number; web: number }): string {
  return `[global]
fsid = ${cluster}
mon host = [v1:127.0.0.1:${mon}]
ms bind msgr2 = false
public addr = 127.0.0.1
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd crush chooseleaf type = 0
mon allow pool size one = true
run dir = ${folder}/run
admin socket = ${folder}/run/$name.asok
pid file = ${folder}/run/$name.pid
log file = /dev/null
mon data = ${folder}/mon
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 268435456
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${web}
rgw data = ${folder}/rgw
`;
}
