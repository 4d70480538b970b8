import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type IndexedRepository, indexedRepository } from "../../../test/support/indexed-repository.ts";
import type { AgentTool } from "../../adapters/models/tool.ts";
import type { VerifiedPlace } from "../../domain/exploration.ts";
import { lookingTools } from "./looking-tools.ts";

let made: IndexedRepository;

beforeAll(async () => {
  made = await indexedRepository([
    {
      files: [
        { path: "src/cart.ts", content: "export function total() {\n  return 0;\n}\n" },
        { path: "src/long.ts", content: "const line = 'needle';\n".repeat(500) },
        { path: "secrets/prod.ts", content: "export const PASSWORD = 1;\n" },
      ],
    },
  ]);
});

afterAll(async () => await made.remove());

/** The two tools of one run, and the places that they showed. */
function look() {
  const shown: VerifiedPlace[] = [];
  const tools = lookingTools(made.index, { protect: ["secrets/**"] })({
    boundary: "0123456789abcdef",
    shown: (place) => void shown.push(place),
  });
  const call = async (name: AgentTool["name"], input: unknown) => {
    const context = { callId: "1", step: 1, index: 0, calledInStep: [name], signal: new AbortController().signal };
    const ran = await tools.find((tool) => tool.name === name)?.run(input, context);
    return ran?.kind === "ran" ? ran.result.output : JSON.stringify(ran);
  };
  return { shown, call };
}

describe("a short look at the code", () => {
  test("reads lines, which then may be cited with their text", async () => {
    const { shown, call } = look();
    expect(await call("read_lines", { path: "src/cart.ts", start: 1, end: 2 })).toContain("2|   return 0;");
    expect(shown).toEqual([{ location: "src/cart.ts:1-2", snippet: "export function total() {\n  return 0;" }]);
  });

  test("shows at most 120 lines and 40 hits, fenced", async () => {
    const { shown, call } = look();
    const read = await call("read_lines", { path: "src/long.ts", start: 1, end: 500 });
    expect(read).toMatch(/^<<<code 0123456789abcdef\n/);
    expect(shown.map(({ location }) => location)).toEqual(["src/long.ts:1-120"]);
    const found = await call("search_text", { text: "needle" });
    expect(found.match(/needle/g)).toHaveLength(40);
    expect(shown).toHaveLength(1);
  });

  test("does not see what is protected", async () => {
    const { shown, call } = look();
    expect(await call("read_lines", { path: "secrets/prod.ts" })).toContain("never shown");
    expect(await call("search_text", { text: "PASSWORD" })).not.toContain("= 1");
    expect(shown).toEqual([]);
  });

  test("is bounded in number and in characters", async () => {
    const often = look();
    for (let n = 0; n < 12; n += 1) await often.call("search_text", { text: "total" });
    expect(await often.call("search_text", { text: "total" })).toContain("The limit of 12 looks is reached");
    const long = look();
    for (let n = 0; n < 11; n += 1) await long.call("read_lines", { path: "src/long.ts", start: 1 + n });
    expect(await long.call("read_lines", { path: "src/cart.ts" })).toContain("characters of looks is reached");
  });
});
