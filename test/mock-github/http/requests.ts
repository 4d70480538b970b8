import type { IncomingMessage } from "node:http";

/** One request as the mock saw it. */
export interface Request {
  /** When it came, in milliseconds. */
  at: number;
  method: string;
  /** With its query. */
  path: string;
  operation: string | null;
  /** Without what is secret. */
  headers: Record<string, string | string[] | undefined>;
  /** Whose limit it counts for; null before that is known, and for those that nobody signed. */
  by: string | null;
  /** Null until it is answered, and where it never is. */
  status: number | null;
}

/** What was asked, and what was wrong with it. */
export class Requests {
  readonly log: Request[] = [];
  /** How requests broke GitHub's published description. */
  readonly violations: string[] = [];
  /** How the mock's answers broke it, where they are looked at. */
  readonly mistakes: string[] = [];
  readonly checkAnswers: boolean;

  constructor(checkAnswers: boolean) {
    this.checkAnswers = checkAnswers;
  }

  add(incoming: IncomingMessage, path: string, operation: string | null): Request {
    const { authorization, cookie: _, ...headers } = incoming.headers;
    const kind = authorization?.split(" ")[0];
    const request: Request = {
      at: Date.now(),
      method: incoming.method ?? "GET",
      path,
      operation,
      headers: { ...headers, ...(kind === undefined ? {} : { authorization: `${kind} …` }) },
      by: null,
      status: null,
    };
    this.log.push(request);
    return request;
  }
}
