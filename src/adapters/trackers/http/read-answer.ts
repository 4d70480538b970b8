import { RelayError } from "../../../lib/errors.ts";

/** Of an answer that reports a failure, more is not read. */
const FAILURE_BYTES = 64 * 1024;

/** The text of an answer; throws `too_large` over `maxBytes`, counted unpacked. */
export async function wholeText(response: Response, maxBytes: number, call: string): Promise<string> {
  const { text, whole } = await readUpTo(response, maxBytes);
  if (whole) return text;
  throw new RelayError("too_large", `${call} was answered with more than ${maxBytes} bytes; ask for less at a time`, {
    status: response.status,
  });
}

/** The beginning of a failure's text; what breaks off in the middle is enough, since its status is known. */
export async function failureText(response: Response): Promise<string> {
  return (await readUpTo(response, FAILURE_BYTES).catch(() => ({ text: "" }))).text;
}

async function readUpTo(response: Response, maxBytes: number): Promise<{ text: string; whole: boolean }> {
  if (response.body === null) return { text: "", whole: true };
  const decoder = new TextDecoder();
  const reader = response.body.getReader();
  let text = "";
  let bytes = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), whole: true };
    const room = maxBytes - bytes;
    bytes += value.byteLength;
    text += decoder.decode(value.subarray(0, room), { stream: true });
    if (value.byteLength > room) {
      await reader.cancel().catch(() => {});
      return { text, whole: false };
    }
  }
}

/** What an answer holds: JSON where its type says so, text otherwise, null where it is empty. */
export function contentOf(
  text: string,
  { headers, status }: Pick<Response, "headers" | "status">,
  as: "text" | undefined,
  call: string,
): unknown {
  if (as === "text") return text;
  if (text === "") return null;
  if (!isJson(headers.get("content-type"))) return text;
  try {
    const content: unknown = JSON.parse(text);
    return content;
  } catch (cause) {
    throw new RelayError("unavailable", `${call} was answered with JSON that cannot be read; try again later`, {
      cause,
      status,
    });
  }
}

/** GitHub answers with files under types like `application/vnd.github.raw+json`, whatever the files are. */
function isJson(type: string | null): boolean {
  return type !== null && /^\s*application\/(?:[\w.-]+\+)?json\b/i.test(type) && !/\.(?:raw|diff|patch)\b/i.test(type);
}
