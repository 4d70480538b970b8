import { expect, test } from "vitest";
import { patienceWith, startTimeouts } from "./timeouts.ts";

const hosted = [{ provider: "anthropic" as const }];
const own = [{ provider: "anthropic" as const }, { provider: "openai-compatible" as const }];

test("a server of one's own gets the time that a large model on a CPU needs; hosted ones do not", () => {
  expect(patienceWith(hosted, { tries: 4 })).toMatchObject({
    timeouts: { callMs: 300_000, silenceMs: 90_000 },
    runFactor: 1,
    retry: { attempts: 4 },
  });
  expect(patienceWith(own, { tries: 4 })).toMatchObject({
    timeouts: { callMs: 3_600_000, silenceMs: 1_800_000 },
    runFactor: 10,
  });
});

test("what is set holds for both", () => {
  const set = { answer_seconds: 60, silence_seconds: 20, run_factor: 3, tries: 2 };
  for (const models of [hosted, own]) {
    expect(patienceWith(models, set)).toMatchObject({
      timeouts: { callMs: 60_000, silenceMs: 20_000 },
      runFactor: 3,
      retry: { attempts: 2 },
    });
  }
});

test("a time-out names the setting that allows more", async () => {
  const watch = startTimeouts({ callMs: 60_000, silenceMs: 1 });
  await new Promise((resolve) => {
    watch.signal.addEventListener("abort", resolve);
  });
  watch.stop();
  expect(watch.over("openai-compatible/m")?.message).toContain("models.timeouts.silence_seconds");
});
