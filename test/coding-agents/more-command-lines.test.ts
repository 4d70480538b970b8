import { codingAgent } from "../../src/agents/coding-agent.ts";
import { describeCodingAgent } from "../contracts/coding-agent.ts";
import { install, programFolder } from "./installed.ts";

const programs = programFolder();
const ALL = { tools: true, limits: true, tokens: true, usd: true };

const tells = {
  gemini: { ...ALL, usd: false },
  cursor: { ...ALL, limits: false, tokens: false, usd: false },
  pi: { tools: false, limits: false, tokens: false, usd: false },
};

for (const name of ["gemini", "cursor", "pi"] as const) {
  const agent = codingAgent({ name, sandboxed: true });
  install(programs, agent.program ?? "", "fake-agent.ts", name);
  describeCodingAgent(name, () => ({ agent, programs, tells: tells[name] }));
}
