import { z } from "zod";
import { issueName } from "../../../domain/issue.ts";
import type { DeadLetter } from "../../../storage/dead-letters.ts";
import { time, timeOf } from "./basics.ts";

export const deadLetterSchema = z
  .object({
    what: z.enum(["delivery", "wake"]),
    issue: z.string().meta({ description: "The issue's name, such as `github/acme/shop#12`." }),
    delivery_id: z.string().nullable(),
    attempts: z.int(),
    error: z.string(),
    dead_lettered_at: time,
  })
  .meta({ id: "DeadLetter", description: "Work that failed for good, until somebody retries its issue." });

export type ShownLetter = z.infer<typeof deadLetterSchema>;

export function shownLetter(letter: DeadLetter): ShownLetter {
  return {
    what: letter.what,
    issue: issueName(letter.issue),
    delivery_id: letter.deliveryId,
    attempts: letter.attempts,
    error: letter.error,
    dead_lettered_at: timeOf(letter.deadLetteredAt),
  };
}
