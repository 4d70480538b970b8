import { expect, test } from "vitest";
import { z } from "zod";
import { newDesk, relay, specArgs } from "./cli-harness.ts";

const line = z.looseObject({ msg: z.string(), level: z.number() });

/** The lines of the log by their message, the last of each. */
function linesIn(err: string) {
  const lines = err.split("\n").flatMap((text) => (text.startsWith("{") ? [line.parse(JSON.parse(text))] : []));
  return Object.fromEntries(lines.map((one) => [one.msg, one]));
}

test("the log tells when a spec is begun, written and done, with sizes, times and the hash", async () => {
  const desk = await newDesk();
  const { code, err, out } = await relay(desk, [...specArgs(desk), "--debug"]);
  expect(code).toBe(0);
  const lines = linesIn(err);
  const { spec_ref } = z.object({ spec_ref: z.object({ sha256: z.string() }) }).parse(JSON.parse(out));
  const at = expect.stringMatching(/^issue_\d+_local_57_.*\/spec\.md$/);
  const [id, ms] = [expect.stringMatching(/^\d+$/), expect.any(Number)];
  const begun = { level: 30, issue_id: id, integration_id: id, existing_spec_exists: false };
  expect(lines["spec generation started"]).toMatchObject(begun);
  const written = { level: 30, issue_id: id, path: at, bytes: ms, duration_ms: ms };
  expect(lines["spec written"]).toMatchObject(written);
  const ended = { issue_id: id, duration_ms: ms, spec_chars: ms, sha256: spec_ref.sha256, validation_status: "valid" };
  expect(lines["spec generation ended"]).toMatchObject({ level: 30, ...ended });
  expect(lines["discussion fetched"]).toMatchObject({
    project_id: expect.any(String),
    issue_iid: expect.any(String),
    threads: ms,
    notes: ms,
    pages: ms,
  });
});
