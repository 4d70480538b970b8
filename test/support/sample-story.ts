import { answer, looks, submit } from "./planner-fixture.ts";
import { specOf, submits } from "./spec-agent-fixture.ts";

/** Where the code of the sample compares the totals. */
const PLACE = "src/export/reconcile.js:16-24";
const SOURCES = [{ location: PLACE }];

/** A spec of the sample's code, whatever it asks for. */
const SPEC = specOf("L1")
  .replaceAll("src/export/json.ts:1-40", PLACE)
  .replaceAll("src/model/item.ts:12-30", PLACE)
  .replaceAll("src/cli/export.ts", "src/export/period.js")
  .replaceAll(/Gap #1|Finding #2/g, "Finding #1");

/** Each answer of a model that takes the sample's issue from its first call to the spec. */
export const ORDERS = answer(["order_files", { files: [{ number: 1, why: "It compares." }] }]);
export const READS = answer(["read_lines", { path: "src/export/reconcile.js" }]);
export const FOUND = answer(["submit_findings", { synthesis: "`reconcile` compares.", sources: SOURCES }]);
const ASKS = submit(
  {
    type: "update_findings",
    data: { add: [{ synthesis: "`reconcile` compares what was exported.", sources: SOURCES }] },
  },
  { type: "post_comment", data: { content: "Nothing is open. Shall I write the spec?" } },
);
const READY = submit({
  type: "ready_for_spec_generation",
  data: { context_summary: "The total of an export.", proceed_signal: "Go ahead" },
});

/** All of them, in order. */
export const STORY = [ORDERS, looks(), READS, FOUND, ASKS, READY, submits(SPEC)];
