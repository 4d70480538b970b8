/** The file descriptor on which git's transport writes the heads of what it receives. */
export const TRACE_DESCRIPTOR = 4;

export interface HttpAnswer {
  status: number;
  /** Milliseconds that the server asked to wait. */
  retryAfterMs?: number;
}

const LINE_LIMIT = 8_192;
const RECEIVED = /^\S+ \S+\.c:\d+\s+<= recv header: (.*)$/i;

/**
 * Reads `GIT_TRACE_CURL` for the status of the last answer: git's exit code is always 128, and its messages are prose.
 * Everything else in the trace is dropped at once.
 */
export class HttpTrace {
  #rest = "";
  #last: HttpAnswer | undefined;

  get last(): HttpAnswer | undefined {
    return this.#last;
  }

  add(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = (lines.pop() ?? "").slice(0, LINE_LIMIT);
    for (const line of lines) {
      const header = RECEIVED.exec(line.slice(0, LINE_LIMIT).trimEnd())?.[1];
      if (header !== undefined) this.#header(header);
    }
  }

  #header(header: string): void {
    const status = /^HTTP\/[0-9.]+ ([0-9]{3})\b/.exec(header)?.[1];
    if (status !== undefined) {
      this.#last = { status: Number(status) };
      return;
    }
    const seconds = /^retry-after: *([0-9]{1,6})$/i.exec(header)?.[1];
    if (seconds !== undefined && this.#last) this.#last.retryAfterMs = Number(seconds) * 1000;
  }
}
