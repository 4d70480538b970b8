import { unfit } from "./texts.ts";

/** Where a page of issues in the order of their changes begins. */
export interface IssuePlace {
  since: Date | null;
  page: number;
}

/**
 * Continues from the time of the last issue seen, not from a page number: an issue that changes meanwhile moves to the
 * end, and would move the others below the number. Page numbers count only among issues of one moment.
 */
export function cursorAfter(place: IssuePlace, last: { updated_at: Date } | undefined): string | null {
  if (last === undefined) return null;
  const stuck = place.since !== null && last.updated_at.getTime() <= place.since.getTime();
  return `${last.updated_at.toISOString()} ${stuck ? place.page + 1 : 1}`;
}

/** @throws RelayError `invalid`: not a cursor of `cursorAfter` */
export function placeOf(cursor: string): IssuePlace {
  const [time = "", page = ""] = cursor.split(" ");
  const since = new Date(time);
  if (Number.isNaN(since.getTime()) || !/^[1-9]\d{0,4}$/.test(page)) {
    throw unfit("the cursor is not one of a page of issues");
  }
  return { since, page: Number(page) };
}
