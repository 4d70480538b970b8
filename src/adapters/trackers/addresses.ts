import type { Issue, Provider } from "../../domain/issue.ts";
import { TRACKERS } from "./registry.ts";

/** A repository whose web pages people may open. */
export interface Hosted {
  provider: Provider;
  cloneSource: string | null;
}

/** The web page of a file at a commit, or of its lines from 1; null where the code has no web pages (R-SPEC-17). */
export function fileAddress(
  { provider, cloneSource }: Hosted,
  commit: string,
  { path, lines }: { path: string; lines?: { start: number; end: number } },
): string | null {
  const { filesAt, linesAt } = TRACKERS[provider];
  if (filesAt === null || cloneSource === null || !/^https?:/.test(cloneSource)) return null;
  const project = cloneSource.replace(/\/?(?:\.git)?\/?$/, "");
  const file = `${project}${filesAt}${commit}/${path.split("/").map(inAddress).join("/")}`;
  return lines === undefined ? file : `${file}${linesAt(path, lines.start, lines.end)}`;
}

/** The address of a comment on an issue; null without one. */
export function commentAddress({ provider, url }: Pick<Issue, "provider" | "url">, commentId: string | null) {
  const anchor = TRACKERS[provider].commentAnchor;
  return url === null || anchor === null || commentId === null ? null : `${url}${anchor}${commentId}`;
}

/** Brackets would end a link of Markdown. */
function inAddress(part: string): string {
  return encodeURIComponent(part.toWellFormed()).replaceAll(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  );
}
