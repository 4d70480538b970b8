/** What the mock says to a request. */
export interface Answer {
  status: number;
  /** Sent as JSON; nothing where absent. */
  body?: unknown;
  /** Sent as it is, instead of a body. */
  raw?: { text: string; contentType: string };
  headers?: Record<string, string>;
}

/** An answer that ends the request, from wherever it is noticed. */
export class Refusal extends Error {
  readonly answer: Answer;

  constructor(answer: Answer) {
    super(`${answer.status}`);
    this.answer = answer;
  }
}

/** GitHub tells the address of the operation's page with each error; the server adds it. */
export function refuse(status: number, message: string, more: Record<string, unknown> = {}): Refusal {
  return new Refusal({ status, body: { message, ...more } });
}

export const notFound = () => refuse(404, "Not Found");

export interface FieldError {
  resource: string;
  code: "missing" | "missing_field" | "invalid" | "already_exists" | "unprocessable" | "custom";
  field?: string;
  message?: string;
  value?: unknown;
}

export const invalid = (...errors: FieldError[]) => refuse(422, "Validation Failed", { errors });

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown, location?: string): Answer => ({
  status: 201,
  body,
  ...(location === undefined ? {} : { headers: { location } }),
});
export const empty: Answer = { status: 204 };
