import { codingAgent } from "../../../src/adapters/agents/coding-agent.ts";
import { describeCodingAgent } from "../../contracts/coding-agent.ts";
import { install, programFolder } from "./fake-programs.ts";
import { TOKENS } from "./transcripts.ts";

const programs = programFolder();
const ALL = { tools: true, limits: true, tokens: TOKENS, usd: true };

const tells = {
  claude: ALL,
  codex: { ...ALL, limits: false, usd: false },
  opencode: { ...ALL, limits: false },
};

for (const name of ["claude", "codex", "opencode"] as const) {
  const agent = await codingAgent({ name, sandboxed: true });
  install(programs, agent.program ?? "", "fake-agent.ts", name);
  describeCodingAgent(name, () => ({ agent, programs, tells: tells[name] }));
}
