/**
 * Escapes quick actions such as `/close`, so that GitLab does not execute them: puts a blank, which Markdown does not
 * show, before anything at the start of a line that could be one. Code is escaped as well: GitLab's idea of code
 * differs from Markdown's, and the pattern that it uses can be tricked.
 * Line ends become line feeds, since GitLab drops carriage returns before it parses.
 */
export function inert(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replaceAll(/^\/(?=[a-z_]+(?:\s|$))/gim, " /");
}
