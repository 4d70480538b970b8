import { expect, test } from "vitest";
import { byKind, concern, needsPerson, riskOf } from "./concern.ts";

test("the risk is the plan's, raised by the gravest concern, which is its reason (R-WORK-11)", () => {
  const unplanned = concern("not planned", { path: "a" });
  expect(riskOf("LOW", [])).toEqual({ risk: "LOW", because: null });
  expect(riskOf("LOW", [unplanned])).toEqual({ risk: "MEDIUM", because: unplanned });
  expect(riskOf("MEDIUM", [unplanned])).toEqual({ risk: "MEDIUM", because: null });
  const gravest = concern("no planned file", {});
  expect(riskOf("LOW", [unplanned, gravest])).toEqual({ risk: "HIGH", because: gravest });
});

test("what people agreed to raises no risk and makes no draft, and is told all the same", () => {
  const agreed = concern("no planned file", { agreed: true });
  expect(riskOf("LOW", [agreed])).toEqual({ risk: "LOW", because: null });
  expect(needsPerson([agreed])).toBe(false);
  expect(needsPerson([concern("no planned file", {})])).toBe(true);
  expect(byKind([agreed])).toEqual([{ kind: "no planned file", all: [agreed] }]);
});
