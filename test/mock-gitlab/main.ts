import { readFileSync } from "node:fs";
import { z } from "zod";
import { answerControl } from "./control.ts";
import { startMockGitlab } from "./server.ts";

/**
 * A GitLab for tests in other processes: `node test/mock-gitlab/main.ts [SEED.json]`. The seed is a list of acts, as
 * `/_mock/act` takes them. Prints its address on one line and runs until it is told to stop.
 */
const seed = process.argv[2];
const mock = await startMockGitlab({ port: Number(process.env["MOCK_GITLAB_PORT"] ?? 0) });
if (seed !== undefined) {
  const acts = z.array(z.unknown()).parse(JSON.parse(readFileSync(seed, "utf8")));
  for (const act of acts) {
    const { status, json } = await answerControl(mock, "act", JSON.stringify(act));
    if (status !== 200) throw new Error(JSON.stringify(json));
  }
}
process.stdout.write(`${mock.url}\n`);
process.once("SIGTERM", () => void mock.close());
