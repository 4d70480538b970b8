import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";

/* An agent that speaks the Agent Client Protocol, and does what its task says. */
const messageSchema = z.object({
  id: z.union([z.number(), z.string()]).optional(),
  method: z.string().optional(),
  params: z
    .object({ prompt: z.array(z.object({ text: z.string() })).optional(), cwd: z.string().optional() })
    .optional()
    .catch(undefined),
  result: z.unknown().optional(),
  error: z.unknown().optional(),
});

const send = (message: Record<string, unknown>) =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (of: Record<string, unknown>) =>
  send({ method: "session/update", params: { sessionId: "s1", update: of } });
const say = (words: string) => update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: words } });

const USAGE = {
  totalTokens: 240,
  inputTokens: 140,
  cachedReadTokens: 40,
  cachedWriteTokens: 20,
  outputTokens: 30,
  thoughtTokens: 10,
};

const answers = new Map<number, (message: unknown) => void>();

async function ask(method: string, params: Record<string, unknown>): Promise<string> {
  const id = 1_000 + answers.size;
  const answer = new Promise<unknown>((resolve) => answers.set(id, resolve));
  send({ id, method, params: { sessionId: "s1", ...params } });
  return JSON.stringify(await answer);
}

async function askLeave(kind: string, path: string): Promise<string> {
  const options = [
    { optionId: "yes-always", name: "Always", kind: "allow_always" },
    { optionId: "yes", name: "Once", kind: "allow_once" },
    { optionId: "no", name: "No", kind: "reject_once" },
  ];
  const toolCall = { toolCallId: "c9", title: `${kind} ${path}`, kind, locations: [{ path }] };
  return await ask("session/request_permission", { toolCall, options });
}

async function act(prompt: string): Promise<Record<string, unknown>> {
  say("I be");
  say("gin.");
  switch (/do: (.*)/.exec(prompt)?.[1]) {
    case "edit": {
      update({ sessionUpdate: "tool_call", toolCallId: "c1", title: "Write hello.txt", kind: "edit" });
      const told = {
        inside: await askLeave("edit", `${process.cwd()}/hello.txt`),
        outside: await askLeave("edit", `${process.cwd()}/../elsewhere`),
        command: await askLeave("execute", process.cwd()),
        file: await ask("fs/read_text_file", { path: "/etc/hostname" }),
      };
      writeFileSync(join(dirname(process.env["HOME"] ?? ""), "asked.json"), JSON.stringify(told));
      writeFileSync("hello.txt", prompt);
      const content = [{ type: "content", content: { type: "text", text: "written" } }];
      update({ sessionUpdate: "tool_call_update", toolCallId: "c1", status: "completed", content });
      update({ sessionUpdate: "usage_update", used: 5, size: 9, cost: { amount: 0.25, currency: "USD" } });
      say("All is done.");
      return { result: { stopReason: "end_turn", usage: USAGE } };
    }
    case "fail": {
      const message = `the server is overloaded; the key was ${process.env["OPENAI_API_KEY"] ?? ""}`;
      return { error: { code: -32_603, message: "Internal error", data: message } };
    }
    case "be refused":
      return { error: { code: -32_000, message: "Authentication required" } };
    case "meet its limit":
      return { result: { stopReason: "max_turn_requests" } };
    case "say nothing":
      return { result: { stopReason: "end_turn" } };
    case "die":
      process.kill(process.pid, "SIGKILL");
      return {};
    case "hang":
      update({ sessionUpdate: "tool_call", toolCallId: "c1", title: "Write hello.txt", kind: "edit" });
      spawn("sleep", ["300"], { stdio: "inherit" });
      await pause(300_000);
      return {};
    case "flood":
      for (;;) {
        say("so many words ".repeat(100));
        if (process.stdout.writableNeedDrain) await pause(1);
      }
    case "never end a line":
      for (;;) if (!process.stdout.write("x".repeat(64 * 1024))) await pause(1);
    default:
      process.stdout.write('{"jsonrpc":\nnull\n[]\n7\nwords\n{"jsonrpc":"2.0","id":999,"result":{}}\n');
      process.stdout.write('{"jsonrpc":"2.0","method":"session/update","params":{"update":7}}\n');
      process.stdout.write('{"jsonrpc":"2.0","method":"no/such","params":{}}\n{"jsonrpc":"2.0"}\n');
      process.stdout.write(`${"[".repeat(50_000)}${"]".repeat(50_000)}\n`);
      update({ sessionUpdate: "news_of_tomorrow", what: 1 });
      writeFileSync("hello.txt", prompt);
      say("All is done.");
      return { result: { stopReason: "end_turn" } };
  }
}

async function hear(line: string): Promise<void> {
  const { id, method, params, result, error } = messageSchema.parse(JSON.parse(line));
  if (id === undefined) return;
  if (method === undefined) {
    answers.get(Number(id))?.(result ?? error);
    return;
  }
  if (method === "initialize") return send({ id, result: { protocolVersion: 1, agentCapabilities: {} } });
  if (method === "session/new") return send({ id, result: { sessionId: "s1" } });
  send({ id, ...(await act(params?.prompt?.[0]?.text ?? "")) });
}

writeFileSync(
  join(dirname(process.env["HOME"] ?? ""), "seen.json"),
  JSON.stringify({ args: process.argv.slice(2), environment: process.env }),
);
for await (const line of createInterface({ input: process.stdin })) {
  // What it got for its own broken lines is no message of interest.
  if (line !== "") void hear(line).catch(() => {});
}
