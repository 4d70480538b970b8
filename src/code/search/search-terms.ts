import type { SearchTerms } from "./locate.ts";
import type { IssueReading } from "../../domain/issue-text/issue-reading.ts";

/** What of a reading to look for in the code. */
export function searchTerms(reading: IssueReading): SearchTerms {
  return {
    title: reading.title,
    prose: reading.prose,
    code: reading.code,
    frames: reading.traces.flatMap((trace) => trace.frames),
    places: reading.facts.places,
    symbols: reading.facts.symbols,
    messages: reading.facts.messages,
  };
}
