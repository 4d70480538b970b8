/**
 * A text in which GitLab finds no command to carry out, such as `/close`: in front of what stands at the very beginning
 * of a line and could be one there is a blank then, which Markdown does not show. This is done within code as well:
 * what GitLab takes for code is not what Markdown does, and is told apart by a pattern that can be led astray.
 * Line ends become line feeds, since GitLab drops carriage returns before it looks.
 */
export function inert(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n").replaceAll(/^\/(?=[a-z_]+(?:\s|$))/gim, " /");
}
