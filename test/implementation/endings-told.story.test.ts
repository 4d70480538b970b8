import { expect, test } from "vitest";
import { type Deed, type WorkingLife, agentOf, agreed, mends, openWorking, writes } from "../support/working-relay.ts";

test("the end of a run says how the agent failed, and what of its changes was reverted (R-WORK-15)", async () => {
  const grows = writes("src/cart.ts", "// more\n".repeat(400_000));
  const fails: Deed = async (request) => {
    await grows(request);
    return { ending: { kind: "failed", detail: "sh ended with code 3", usable: true } };
  };
  const life = await openWorking(agentOf(fails, fails));
  const issue = await agreed(life);
  expect(await life.worksOn(issue)).toMatchObject({ state: "stuck" });
  const said = (await life.said(issue)).at(-1);
  expect(said).toContain("The agent ended with an error in its last attempt: `sh ended with code 3`.");
  expect(said).toMatch(/\*\*Left out of this change:\*\*\n\n- `src\/cart\.ts`: it was too large/);
});

test("where somebody else made the branch meanwhile, the thread says so (R-WORK-15)", async () => {
  const lives: WorkingLife[] = [];
  const isOvertaken: Deed = async (request) => {
    await lives[0]?.git("branch", "fix/1-wrong-total-cart", "main");
    return await mends(request);
  };
  const life = await openWorking(agentOf(isOvertaken));
  lives.push(life);
  const issue = await agreed(life);
  expect(await life.worksOn(issue)).toMatchObject({ state: "failed" });
  expect((await life.said(issue)).at(-1)).toContain("somebody else made the branch `fix/1-wrong-total-cart`");
});
