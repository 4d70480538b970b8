import type { SpecInput } from "../../src/specification/generator.ts";
import { finding, gap, message, specInput } from "./spec-input.ts";

/** What the offline writer is read by: a crash with a stack trace, a vague report with answers, a request in German. */
export const OFFLINE_SAMPLES: Record<"crash" | "vague" | "german-request", SpecInput> = {
  crash: specInput({
    number: "412",
    title: "`parse_duration` crashes on an empty string",
    labels: ["bug"],
    body: `Setting \`timeout = ""\` in the config takes the worker down:

\`\`\`
Traceback (most recent call last):
  File "/srv/app/ferry/worker.py", line 88, in start
    self.timeout = parse_duration(config["timeout"])
  File "/srv/app/ferry/durations.py", line 31, in parse_duration
    unit = text[-1]
IndexError: string index out of range
\`\`\`

I expected it to fall back to the default of 30 seconds, as it does when the key is missing.
`,
    findings: [
      finding(1, {
        synthesis: "`start` (`ferry/worker.py`) is in the report’s stack trace.",
        sources: [
          {
            location: "ferry/worker.py:88",
            snippet: '        self.timeout = parse_duration(config["timeout"])',
            kind: "start",
          },
        ],
      }),
      finding(2, {
        synthesis: "`parse_duration` (`ferry/durations.py`) is in the report’s stack trace.",
        sources: [
          {
            location: "ferry/durations.py:31",
            snippet: "    unit = text[-1]\n    return scale[unit]",
            kind: "parse_duration",
          },
        ],
      }),
      finding(3, {
        synthesis: "The tests for `durations` are in `tests/test_durations.py`.",
        sources: [{ location: "tests/test_durations.py:9", snippet: "def test_minutes():", kind: "test_minutes" }],
      }),
    ],
  }),

  vague: specInput({
    number: "88",
    title: "Uploads are sometimes gone",
    labels: ["bug"],
    body: "Some pictures that people uploaded yesterday are not there any more. Can somebody look into it?",
    messages: [
      message({
        seq: 1,
        author: "relay",
        content: "1. How can this be reproduced?\n2. What is in scope?\n3. Old clients?",
      }),
      message({
        seq: 2,
        author: "ann",
        content:
          "1. Upload two pictures with the same name within one second, e.g. `curl -F file=@cat.png http://localhost:3000/upload` twice. Only the second one is there afterwards.",
      }),
      message({
        seq: 3,
        author: "bob",
        content:
          "2. Both must be kept, each under its own id. The public URL of a picture stays as it is. We do not need to restore the lost ones.",
      }),
      message({ seq: 4, author: "ann", content: "go ahead" }),
    ],
    closedGaps: [
      gap({
        number: 1,
        topic: "reproduction",
        question:
          "How can I reproduce this? Please share the smallest input or the steps that show it, and the version you use.",
        severity: "high",
        closedNote:
          "Upload two pictures with the same name within one second, e.g. `curl -F file=@cat.png http://localhost:3000/upload` twice. Only the second one is there afterwards.",
      }),
      gap({
        number: 2,
        topic: "scope",
        question: "What is in scope, and what should stay untouched?",
        respondent: "assignee",
        closedNote:
          "Both must be kept, each under its own id. The public URL of a picture stays as it is. We do not need to restore the lost ones.",
      }),
      gap({
        number: 3,
        topic: "compatibility",
        question: "Must existing callers, stored data and configuration keep working unchanged?",
        respondent: "assignee",
        closedReason: "inferred",
        closedNote: "Clients that send no id keep working.",
      }),
    ],
    findings: [
      finding(1, {
        synthesis:
          "`storeUpload` (`src/uploads/store.ts`) derives the key from the file's name and the second of the upload, so that two uploads of one second share it.",
        sources: [
          {
            location: "src/uploads/store.ts:41",
            snippet: "  const key = `${stamp(now)}-${file.name}`;\n  await bucket.put(key, file.stream());",
            kind: "storeUpload",
          },
        ],
      }),
      finding(2, {
        synthesis: "The route `/upload` is registered in `src/http/routes.ts`.",
        sources: [{ location: "src/http/routes.ts:17", snippet: '  app.post("/upload", upload);' }],
      }),
      finding(3, {
        synthesis: "The tests for `store` are in `src/uploads/store.test.ts`.",
        sources: [{ location: "src/uploads/store.test.ts:12", snippet: 'test("keeps a picture", async () => {' }],
      }),
    ],
  }),

  "german-request": specInput({
    number: "58",
    language: "de",
    title: "Export nach Kunde filtern",
    labels: ["enhancement"],
    body: `Ein Kunde möchte am Monatsende nur seine eigenen Rechnungen sehen. Im Moment löschen wir die anderen Zeilen von Hand
aus der Datei, die \`quill export --month 2026-10\` schreibt.

### Akzeptanzkriterien

- Wenn \`quill export --month 2026-10 --customer "Harbour Hotel"\` läuft, enthält die Datei nur Rechnungen von Harbour Hotel
- Ein unbekannter Kunde führt zu Exit-Code 2 und der Meldung \`UNKNOWN_CUSTOMER\`
- Groß- und Kleinschreibung des Namens ist egal

Die Spalten bleiben unverändert.
`,
    messages: [
      message({ seq: 1, author: "relay", content: "Müssen vorhandene Aufrufer unverändert weiter funktionieren?" }),
      message({ seq: 2, author: "bob", content: "Ja, ohne `--customer` bleibt alles, wie es ist." }),
      message({ seq: 3, author: "ann", content: "Passt so, leg los." }),
    ],
    closedGaps: [
      gap({
        number: 1,
        topic: "compatibility",
        question: "Müssen vorhandene Aufrufer, gespeicherte Daten und Einstellungen unverändert weiter funktionieren?",
        respondent: "assignee",
        closedNote: "Ja, ohne `--customer` bleibt alles, wie es ist.",
      }),
    ],
    findings: [
      finding(1, {
        synthesis: "`exportMonth` (`src/export/month.js`) wählt die Rechnungen eines Monats aus.",
        sources: [
          {
            location: "src/export/month.js:12-20",
            snippet: "export function exportMonth(invoices, { month, format }) {",
            kind: "exportMonth",
          },
        ],
      }),
      finding(2, {
        synthesis: "`docs/export.md` beschreibt den Befehl `quill export`.",
        sources: [{ location: "docs/export.md:3", snippet: "`quill export --month 2026-04` writes every invoice." }],
      }),
      finding(3, {
        synthesis: "Die Tests zu `month` sind in `test/month.test.js`.",
        sources: [{ location: "test/month.test.js:8", snippet: 'test("one month", () => {' }],
      }),
    ],
  }),
};

/** Grounding for inputs that are all true: every place of a finding is there. */
export function groundingOf(input: SpecInput) {
  const paths = new Set(
    input.findings.flatMap((one) => one.sources.map((source) => source.location.replace(/:\d+(?:-\d+)?$/, ""))),
  );
  return {
    gapNumbers: new Set(input.closedGaps.map((one) => one.number)),
    findings: input.findings.map(({ number, id }) => ({ number, id, removed: null })),
    messageCount: input.messages.length,
    statements: input.statements.statements,
    mustCover: input.closedGaps.filter((one) => one.closedReason !== "not_relevant").map((one) => one.number),
    code: {
      lines: async (path: string) => await Promise.resolve(paths.has(path) ? 1_000 : null),
      exists: async (path: string) => await Promise.resolve(paths.has(path)),
    },
  };
}
