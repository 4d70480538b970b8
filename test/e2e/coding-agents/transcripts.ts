import type { AgentTokens } from "../../../src/domain/work.ts";

/** What each of them has used, told in words of its own. */
export const TOKENS: AgentTokens = { input: 200, cachedInput: 40, cacheWrite: 20, output: 40, reasoning: 10 };

/** How one coding agent tells what happens to it: the lines that the real ones were seen to print, shortened. */
export interface Voice {
  says(text: string): unknown[];
  edits(path: string): unknown[];
  finishes(text: string): unknown[];
  fails(message: string): Failure;
  /** What it leaves in its home. */
  leaves?: { path: string; lines: unknown[] };
  /** Null for agents without limits of their own. */
  meetsLimit: (() => Failure) | null;
}

interface Failure {
  lines: unknown[];
  errors?: string;
  code: number;
}

const claude: Voice = {
  says: (text) => [{ type: "assistant", message: { role: "assistant", content: [{ type: "text", text }] } }],
  edits: (file_path) => [
    {
      type: "assistant",
      message: { content: [{ type: "tool_use", id: "toolu_1", name: "Write", input: { file_path, content: "…" } }] },
    },
    {
      type: "user",
      message: { content: [{ tool_use_id: "toolu_1", type: "tool_result", content: "File created successfully" }] },
    },
  ],
  finishes: (result) => [claudeResult({ subtype: "success", is_error: false, result })],
  fails: (result) => ({
    lines: [
      { type: "system", subtype: "api_retry", attempt: 1, max_retries: 4, error_status: 529, error: "overloaded" },
      claudeResult({ subtype: "success", is_error: true, result }),
    ],
    code: 1,
  }),
  meetsLimit: () => ({ lines: [claudeResult({ subtype: "error_max_turns", is_error: true })], code: 1 }),
};

function claudeResult(rest: Record<string, unknown>): unknown {
  return {
    type: "result",
    num_turns: 2,
    total_cost_usd: 0.25,
    usage: { input_tokens: 90, cache_creation_input_tokens: 20, cache_read_input_tokens: 30, output_tokens: 30 },
    modelUsage: {
      "claude-sonnet-4-5": {
        inputTokens: 90,
        cacheCreationInputTokens: 20,
        cacheReadInputTokens: 30,
        outputTokens: 30,
        thinkingTokens: 10,
      },
      "claude-haiku-4-5": { inputTokens: 50, cacheReadInputTokens: 10, outputTokens: 10 },
    },
    permission_denials: [{ tool_name: "Bash", tool_use_id: "toolu_2", tool_input: { command: "rm -rf /elsewhere" } }],
    ...rest,
  };
}

const codexUsage = {
  input_tokens: 200,
  cached_input_tokens: 40,
  cache_write_input_tokens: 20,
  output_tokens: 40,
  reasoning_output_tokens: 10,
};

const codex: Voice = {
  says: (text) => [
    { type: "turn.started" },
    { type: "item.completed", item: { id: "item_1", type: "agent_message", text } },
  ],
  edits: (path) => {
    const item = { id: "item_2", type: "command_execution", command: `/bin/bash -lc 'echo > ${path}'` };
    return [
      { type: "item.started", item: { ...item, aggregated_output: "", exit_code: null, status: "in_progress" } },
      { type: "item.completed", item: { ...item, aggregated_output: "done", exit_code: 0, status: "completed" } },
      { type: "item.completed", item: { ...item, aggregated_output: "", exit_code: null, status: "declined" } },
    ];
  },
  finishes: (text) => [
    { type: "item.completed", item: { id: "item_3", type: "agent_message", text } },
    { type: "turn.completed", usage: codexUsage },
  ],
  fails: (message) => ({
    lines: [
      { type: "error", message: `Reconnecting... 1/1 (${message})` },
      { type: "error", message },
      { type: "turn.failed", error: { message } },
    ],
    code: 1,
  }),
  meetsLimit: null,
};

const opencode: Voice = {
  says: (text) => [{ type: "text", sessionID: "ses_1", part: { type: "text", text } }],
  edits: (filePath) => [
    {
      type: "tool_use",
      part: {
        type: "tool",
        tool: "write",
        state: { status: "completed", input: { filePath }, output: "Wrote file successfully." },
      },
    },
    {
      type: "step_finish",
      part: {
        type: "step-finish",
        tokens: { input: 60, output: 10, reasoning: 10, cache: { write: 20, read: 20 } },
        cost: 0.125,
      },
    },
  ],
  finishes: (text) => [
    { type: "text", part: { type: "text", text } },
    {
      type: "step_finish",
      part: {
        type: "step-finish",
        tokens: { input: 80, output: 20, reasoning: 0, cache: { write: 0, read: 20 } },
        cost: 0.125,
      },
    },
  ],
  fails: (message) => ({
    lines: [{ type: "error", error: { name: "APIError", data: { message, isRetryable: false } } }],
    code: 1,
  }),
  meetsLimit: null,
};

const gemini: Voice = {
  says: (content) => [
    { type: "init", session_id: "1", model: "gemini-2.5-pro" },
    { type: "message", role: "user", content: "the task" },
    { type: "message", role: "assistant", content: content.slice(0, 5), delta: true },
    { type: "message", role: "assistant", content: content.slice(5), delta: true },
  ],
  edits: (file_path) => [
    { type: "tool_use", tool_name: "write_file", tool_id: "1", parameters: { file_path, content: "…" } },
    { type: "tool_result", tool_id: "1", status: "success" },
  ],
  finishes: (content) => [
    { type: "message", role: "assistant", content, delta: true },
    {
      type: "result",
      status: "success",
      stats: { total_tokens: 240, input_tokens: 200, output_tokens: 30, cached: 40 },
    },
  ],
  fails: (message) => ({
    lines: [{ type: "result", status: "error", error: { type: "unknown", message: `[API Error: ${message}]` } }],
    errors: "Warning: 256-color support not detected.\n",
    code: 144,
  }),
  meetsLimit: () => ({
    lines: [
      {
        type: "result",
        status: "error",
        error: { type: "FatalTurnLimitedError", message: "Reached max session turns for this session." },
      },
    ],
    code: 53,
  }),
};

const cursor: Voice = {
  says: (text) => [
    { type: "system", subtype: "init", model: "gpt-5.2" },
    { type: "assistant", message: { role: "assistant", content: [{ type: "text", text }] } },
  ],
  edits: (path) => [
    { type: "tool_call", subtype: "started", call_id: "1", tool_call: { editToolCall: { args: { path } } } },
    {
      type: "tool_call",
      subtype: "completed",
      call_id: "1",
      tool_call: { editToolCall: { args: { path }, result: { success: { linesAdded: 1 } } } },
    },
    {
      type: "tool_call",
      subtype: "completed",
      tool_call: { shellToolCall: { args: { command: "rm" }, result: { rejected: { reason: "" } } } },
    },
  ],
  finishes: (result) => [{ type: "result", subtype: "success", is_error: false, duration_ms: 2_000, result }],
  // It ends without a last line.
  fails: (message) => ({ lines: [], errors: `${message}\n`, code: 1 }),
  meetsLimit: null,
};

/** Agents that print text alone. */
const plain: Voice = {
  says: (text) => [text],
  edits: () => [],
  finishes: (text) => [text],
  fails: (message) => ({ lines: [], errors: `${message}\n`, code: 1 }),
  meetsLimit: null,
};

const piUsage = { input: 70, output: 20, cacheRead: 20, cacheWrite: 10, reasoning: 5, cost: { total: 0.125 } };

const pi: Voice = {
  ...plain,
  leaves: {
    path: "pi/runs/2026-11-22_1.jsonl",
    lines: [
      { type: "session", version: 3 },
      { type: "message", message: { role: "user", content: "the task" } },
      { type: "message", message: { role: "assistant", usage: piUsage } },
      "cut off in the mid",
      { type: "message", message: { role: "assistant", usage: piUsage } },
    ],
  },
};

export const VOICES: Readonly<Record<string, Voice>> = {
  claude,
  codex,
  opencode,
  gemini,
  cursor,
  pi,
  command: plain,
};
