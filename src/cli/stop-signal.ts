import type { Terminal } from "./terminal.ts";
import { EXIT } from "./terminal.ts";

export interface StopSignal {
  /** Aborted when the program is asked to end. A second time ends it at once. */
  signal: AbortSignal;
  asked: Promise<void>;
  forget(): void;
}

/** Listens for SIGTERM, as service managers and containers send it, and SIGINT, as the keyboard does. */
export function stopSignal(terminal: Terminal): StopSignal {
  const stopping = new AbortController();
  const heard = Promise.withResolvers<void>();
  const listener = () => {
    if (stopping.signal.aborted) process.exit(EXIT.interrupted);
    terminal.err("relay: stopping; what is under way is finished first (once more ends it at once)\n");
    stopping.abort();
    heard.resolve();
  };
  process.on("SIGTERM", listener);
  process.on("SIGINT", listener);
  return {
    signal: stopping.signal,
    asked: heard.promise,
    forget: () => {
      process.off("SIGTERM", listener);
      process.off("SIGINT", listener);
    },
  };
}
