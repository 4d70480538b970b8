import { z } from "zod";
import { answerJson, bodyOf, serveOnLoopback } from "./loopback.ts";

const value = z.looseObject({
  stringValue: z.string().optional(),
  intValue: z.union([z.number(), z.string()]).optional(),
  boolValue: z.boolean().optional(),
});
const attributes = z.array(z.object({ key: z.string(), value })).default([]);
const span = z.looseObject({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  kind: z.number(),
  attributes,
  links: z.array(z.looseObject({ traceId: z.string(), spanId: z.string() })).default([]),
  status: z.looseObject({ code: z.number().optional(), message: z.string().optional() }).optional(),
});
const request = z.looseObject({
  resourceSpans: z.array(
    z.looseObject({
      resource: z.looseObject({ attributes }),
      scopeSpans: z.array(z.looseObject({ spans: z.array(span) })),
    }),
  ),
});

export type SeenSpan = z.infer<typeof span> & { resource: Record<string, string> };

/** A collector of OTLP over HTTP on loopback, which takes JSON. */
export async function startTraceSink(): Promise<{
  url: string;
  spans: SeenSpan[];
  /** Everything that came, as it came. */
  bodies: string[];
  headers: Record<string, string | string[] | undefined>[];
}> {
  const spans: SeenSpan[] = [];
  const bodies: string[] = [];
  const headers: Record<string, string | string[] | undefined>[] = [];
  const url = await serveOnLoopback(async (incoming, answer) => {
    const body = await bodyOf(incoming);
    bodies.push(body);
    headers.push({ ...incoming.headers, path: incoming.url });
    for (const { resource, scopeSpans } of request.parse(JSON.parse(body)).resourceSpans) {
      const of = Object.fromEntries(resource.attributes.map((one) => [one.key, textOf(one.value)]));
      spans.push(...scopeSpans.flatMap((scope) => scope.spans.map((one) => ({ ...one, resource: of }))));
    }
    answerJson(answer, 200, {});
  });
  return { url, spans, bodies, headers };
}

function textOf(one: z.infer<typeof value>): string {
  return String(one.stringValue ?? one.intValue ?? one.boolValue ?? "");
}

export function attributesOf(one: SeenSpan): Record<string, string> {
  return Object.fromEntries(one.attributes.map((each) => [each.key, textOf(each.value)]));
}

/** The names of a span and of those that it goes on from, up to the first of its trace. */
export function wayTo(one: SeenSpan, all: readonly SeenSpan[]): string[] {
  const parent = all.find(({ traceId, spanId }) => traceId === one.traceId && spanId === one.parentSpanId);
  if (parent !== undefined) return [...wayTo(parent, all), one.name];
  return [...(one.parentSpanId === undefined || one.parentSpanId === "" ? [] : ["?"]), one.name];
}
