import type { Block } from "./markdown.ts";

/** Languages of blocks with program output rather than people's own text. */
const OUTPUT_BLOCK = /^(?:log|text|txt|console|output|trace|stacktrace|plain|plaintext|pytb|diff)$/;

/** Code that people wrote: a block, or a paragraph with a code span only. */
export function isExample(block: Block): boolean {
  if (block.kind === "paragraph") return /^`[^`\n]{10,}`$/.test(block.text.trim());
  return (
    block.kind === "code" &&
    !OUTPUT_BLOCK.test(block.language) &&
    !isOutput(block.text) &&
    block.text.trim().length > 10
  );
}

/** More lines of traces, logs and reports than of anything else. */
function isOutput(text: string): boolean {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const printed = lines.filter((line) =>
    /^\s*(?:at |File "|[A-Z]{3,}[A-Z0-9_]*[>:\s[]|={3,}|-{3,}|E\s{2,}|>\s|\d{4}-\d\d-\d\d|\[?(?:INFO|WARN|ERROR|DEBUG)|Traceback|#\d+ |\S+ @ \S+:\d+|\w*(?:Error|Exception):|thread '|note: |Uncaught |\S+\s{2,}v?\d+\.\d[\w.]*\s*$)/.test(
      line,
    ),
  );
  return lines.length > 0 && printed.length * 2 >= lines.length;
}
