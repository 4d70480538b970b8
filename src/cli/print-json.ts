import type { Terminal } from "./terminal.ts";

export function printJson(terminal: Terminal, value: unknown): void {
  terminal.out(`${JSON.stringify(value)}\n`);
}
