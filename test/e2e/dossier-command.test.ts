import { expect, test } from "vitest";
import { z } from "zod";
import { newDesk, relay, specArgs } from "./cli-harness.ts";

const document = z.object({
  issue: z.string(),
  commit: z.string(),
  statements: z.array(z.object({ kind: z.string(), text: z.string(), author: z.string() })),
  gaps: z.array(z.object({ number: z.number(), status: z.string(), closed_reason: z.string().nullable() })),
  findings: z.array(z.object({ synthesis: z.string(), sources: z.array(z.object({ location: z.string() })) })),
  explorations: z.array(z.unknown()),
});

test("relay dossier shows what is known about an issue, and as JSON all of it (R-PLAN-13)", async () => {
  const desk = await newDesk();
  expect(await relay(desk, specArgs(desk))).toMatchObject({ code: 0 });
  const known = document.parse(JSON.parse((await relay(desk, ["dossier", "57", "--json"])).out));
  expect(known.findings.length).toBeGreaterThan(0);
  expect(known.gaps.every(({ status }) => status === "closed")).toBe(true);
  const shown = await relay(desk, ["dossier", "57"]);
  expect(shown).toMatchObject({ code: 0, err: "" });
  for (const title of ["What people said", "Questions", "Findings", "Looked at in the code"])
    expect(shown.out).toContain(`\n${title}\n`);
  expect(shown.out).toContain(known.findings[0]?.sources[0]?.location);
  expect(await relay(desk, ["dossier", "9999"])).toMatchObject({ code: 2 });
});
