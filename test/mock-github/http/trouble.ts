import type { ServerResponse } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { Answer } from "./answer.ts";
import type { Trouble } from "./faults.ts";
import type { Request } from "./requests.ts";

const SECONDARY =
  "You have exceeded a secondary rate limit. Please wait a few minutes before you try again. If you reach out to GitHub Support for help, please include the request ID.";
const SECONDARY_DOCS =
  "https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#about-secondary-rate-limits";
const PAGE =
  "<!DOCTYPE html>\n<html><head><title>Unicorn! &middot; GitHub</title></head><body>No server is available.</body></html>\n";

/** Too much at once, or too much written. `retryAfter` in seconds. */
export function secondaryLimit(status: 403 | 429, retryAfter: number | null): Answer {
  const headers: Record<string, string> = retryAfter === null ? {} : { "retry-after": String(retryAfter) };
  return { status, body: { documentation_url: SECONDARY_DOCS, message: SECONDARY }, headers };
}

/** Does what was asked and answers, or does what goes wrong. */
export async function perform(
  trouble: Trouble | null,
  request: Request,
  response: ServerResponse,
  act: () => Answer,
): Promise<void> {
  const say = (answer: Answer) => write(request, response, answer);
  switch (trouble?.kind) {
    case undefined:
      return say(act());
    case "status":
      return say({
        status: trouble.status,
        body: trouble.body ?? { message: "Server Error" },
        headers: trouble.headers,
      });
    case "secondary_limit":
      return say(secondaryLimit(trouble.status, trouble.retryAfter));
    case "html":
      return say({ status: trouble.status, raw: { text: PAGE, contentType: "text/html; charset=utf-8" } });
    case "delay": {
      const answer = act();
      await pause(trouble.ms);
      return say(answer);
    }
    case "slow":
      await pause(trouble.ms);
      return say(act());
    case "hang_before":
      return;
    case "hang_after":
      act();
      return;
    case "cut_before":
      response.destroy();
      return;
    case "cut_after":
      act();
      response.destroy();
      return;
    case "truncate":
    case "half_json": {
      const answer = act();
      const text = bodyOf(answer);
      const half = text.slice(0, Math.floor(text.length / 2));
      const length = trouble.kind === "truncate" ? Buffer.byteLength(text) : Buffer.byteLength(half);
      request.status = answer.status;
      response.writeHead(answer.status, { ...headersOf(answer), "content-length": String(length) });
      await new Promise((resolve) => response.write(half, resolve));
      if (trouble.kind === "truncate") response.destroy();
      else response.end();
      return;
    }
    case "status_after":
      act();
      return say({ status: trouble.status, body: { message: "Server Error" } });
  }
}

function bodyOf({ raw, body }: Answer): string {
  return raw?.text ?? (body === undefined ? "" : JSON.stringify(body));
}

function headersOf(answer: Answer): Record<string, string> {
  const kind = answer.raw?.contentType ?? "application/json; charset=utf-8";
  return { ...(answer.raw || answer.body !== undefined ? { "content-type": kind } : {}), ...answer.headers };
}

function write(request: Request, response: ServerResponse, answer: Answer): void {
  request.status = answer.status;
  const text = bodyOf(answer);
  const length = text === "" ? {} : { "content-length": String(Buffer.byteLength(text)) };
  response.writeHead(answer.status, { ...headersOf(answer), ...length }).end(text);
}
