import { Ajv, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { z } from "zod";
import { type Operation, description } from "./operations.ts";

const ID = "mock://github";
const ajv = new Ajv({ strict: false, allErrors: true, logger: false });
formats.default(ajv);
ajv.addSchema({ $id: ID, ...description });

const pointer = (part: string) => encodeURIComponent(part.replaceAll("~", "~0").replaceAll("/", "~1"));

function validatorOf(...path: string[]): ValidateFunction {
  const validate = ajv.getSchema(`${ID}#/${path.map(pointer).join("/")}`);
  if (validate === undefined) throw new Error(`the description has nothing at ${path.join(" ")}`);
  return validate;
}

function complaints(validate: ValidateFunction, value: unknown, where: string): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map((error) => `${where}${error.instancePath}: ${error.message ?? "is wrong"}`);
}

export interface Asked {
  params: Map<string, string>;
  query: URLSearchParams;
  contentType: string | undefined;
  /** What the body says; undefined where there is none. */
  body: unknown;
}

/** How a request breaks GitHub's published description; nothing where it keeps to it. */
export function checkRequest(operation: Operation, asked: Asked): string[] {
  const found: string[] = [];
  const known = new Set(operation.parameters.filter((each) => each.in === "query").map((each) => each.name));
  for (const name of asked.query.keys()) if (!known.has(name)) found.push(`query ${name}: is not described`);
  for (const [n, parameter] of operation.parameters.entries()) {
    const text = parameter.in === "path" ? asked.params.get(parameter.name) : asked.query.get(parameter.name);
    if (text === undefined || text === null) {
      if (parameter.required) found.push(`${parameter.in} ${parameter.name}: is missing`);
      continue;
    }
    const validate = validatorOf("operations", operation.id, "parameters", String(n), "schema");
    const value = valueOf(text);
    // What looks like a number may be meant as a text, such as a branch called 12.
    if (validate(value) || validate(text)) continue;
    found.push(...complaints(validate, value, `${parameter.in} ${parameter.name}`));
  }
  return [...found, ...checkBody(operation, asked)];
}

function checkBody(operation: Operation, { body, contentType }: Asked): string[] {
  if (body === undefined) return operation.bodyRequired ? ["body: is missing"] : [];
  if (operation.body === null) return ["body: is not described"];
  const found = complaints(validatorOf("operations", operation.id, "body"), body, "body");
  if (contentType?.startsWith("application/json") !== true) found.push("content-type: is not application/json");
  const known = propertiesOf(operation.body);
  const fields = z.record(z.string(), z.unknown()).safeParse(body).data ?? {};
  // The description leaves bodies open; GitHub ignores what it does not know, so that a misspelt field does nothing.
  for (const field of Object.keys(fields)) if (!known.has(field)) found.push(`body ${field}: is not described`);
  return found;
}

function valueOf(text: string): unknown {
  if (/^-?\d+$/.test(text)) return Number(text);
  return text === "true" ? true : text === "false" ? false : text;
}

const Schema = z.object({
  properties: z.record(z.string(), z.unknown()).optional(),
  anyOf: z.array(z.unknown()).optional(),
  oneOf: z.array(z.unknown()).optional(),
  allOf: z.array(z.unknown()).optional(),
});

function propertiesOf(value: unknown): Set<string> {
  const schema = Schema.safeParse(value).data;
  if (schema === undefined) return new Set();
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  return new Set([...Object.keys(schema.properties ?? {}), ...parts.flatMap((part) => [...propertiesOf(part)])]);
}

/** How an answer of the mock breaks the description. */
export function checkAnswer(operation: Operation, status: number, body: unknown): string[] {
  const described = operation.responses[String(status)];
  if (described === null || described === undefined) {
    // Limits, missing rights and wrong tokens are described for all operations at once, in prose.
    const general = [400, 401, 403, 404, 410, 422, 429, 500, 502, 503].includes(status);
    return described === null || general ? [] : [`answer ${status}: is not described`];
  }
  return complaints(validatorOf("operations", operation.id, "responses", String(status)), body, `answer ${status}`);
}
