import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { RelayError, messageOf, systemCode } from "../lib/errors.ts";

/** Nothing larger is even read from disk; the validator's own bound is far below. */
const READ_LIMIT = 64 * 1024 * 1024;

/**
 * The text of a spec file. Bytes that are no UTF-8 become replacement characters: odd input is judged, not refused.
 * Pipes and devices are read up to the bound too. Throws `usage` when it cannot be read, `too_large` over 64 MiB.
 */
export async function readSpecFile(file: string): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    if ((await stat(file)).isDirectory()) {
      throw new RelayError("usage", `${file} is a directory; name the spec files in it`);
    }
    for await (const chunk of createReadStream(file)) {
      const bytes = Buffer.from(chunk);
      size += bytes.length;
      if (size > READ_LIMIT) throw new RelayError("too_large", `${file} is over 64 MiB; a spec may have 200 KiB`);
      chunks.push(bytes);
    }
  } catch (cause) {
    if (cause instanceof RelayError) throw cause;
    const reason = systemCode(cause) === "ENOENT" ? "there is no such file" : messageOf(cause);
    throw new RelayError("usage", `cannot read the spec ${file}: ${reason}`, { cause });
  }
  return Buffer.concat(chunks).toString("utf8");
}
