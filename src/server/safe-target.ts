/** A path of this server, else its first page: a link must not lead elsewhere after the login (R-SAFE-4). */
export function safeTarget(to: string | undefined): string {
  return to !== undefined && /^\/(?![/\\])[\u0021-\u007E]*$/.test(to) && !/^\/log(in|out)\b/.test(to) ? to : "/";
}
