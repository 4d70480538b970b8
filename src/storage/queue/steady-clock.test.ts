import { expect, onTestFinished, test, vi } from "vitest";
import { steadyClock } from "./steady-clock.ts";

const DAY = 86_400_000;

test.each([DAY, -DAY])("a clock that is set by %i ms does not move the job engine's", (ms) => {
  const [before, date] = [steadyClock.now(), Date.now()];
  vi.useFakeTimers({ toFake: ["Date"], now: date + ms });
  onTestFinished(() => void vi.useRealTimers());
  expect(Math.abs(Date.now() - date)).toBeGreaterThan(DAY / 2);
  expect(Math.abs(steadyClock.now() - before)).toBeLessThan(DAY / 2);
});
