/** What a route says. `text` is sent as it is, `json` as JSON; with neither the body is empty. */
export interface Answer {
  status: number;
  json?: unknown;
  text?: string;
  headers?: Record<string, string>;
}

/** Ends a route with an error in GitLab's own words. */
export class Refusal extends Error {
  readonly answer: Answer;
  constructor(answer: Answer) {
    super(`refused with ${answer.status}`);
    this.answer = answer;
  }
}

export const unauthorized = () => new Refusal({ status: 401, json: { message: "401 Unauthorized" } });
export const forbidden = () => new Refusal({ status: 403, json: { message: "403 Forbidden" } });
export const notFound = (what?: string) =>
  new Refusal({ status: 404, json: { message: what === undefined ? "404 Not found" : `404 ${what} Not Found` } });
export const badRequest = (reason: string) =>
  new Refusal({ status: 400, json: { message: `400 Bad request - ${reason}` } });
export const conflict = (messages: string[]) => new Refusal({ status: 409, json: { message: messages } });
export const unprocessable = (messages: string[]) => new Refusal({ status: 422, json: { message: messages } });
