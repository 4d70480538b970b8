import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

export interface MockProcess {
  firstLine: string;
  /** Asks the mock's control, below `/_mock/`. */
  control(url: string, path: string, body?: unknown): Promise<unknown>;
}

/** A mock tracker as a process of its own, until the test is over. */
export async function startMockProcess(name: "mock-github" | "mock-gitlab", args: string[]): Promise<MockProcess> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "../..", name, "main.ts"), ...args], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  onTestFinished(async () => {
    child.kill("SIGKILL");
    await ended;
  });
  for await (const firstLine of createInterface({ input: child.stdout })) return { firstLine, control };
  throw new Error(`${name} ended before it said where it is`);
}

async function control(url: string, path: string, body?: unknown): Promise<unknown> {
  const asked = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  const response = await fetch(`${url}/_mock/${path}`, asked);
  const answer: unknown = await response.json();
  if (response.status !== 200) throw new Error(`the mock refuses ${path}: ${JSON.stringify(answer)}`);
  return answer;
}
