import { AsyncLocalStorage } from "node:async_hooks";
import type { Attributes, Span } from "@opentelemetry/api";
import { RelayError, Postponed } from "./errors.ts";

/**
 * Spans of OpenTelemetry (R-OBS-3). Without a collector nothing of OpenTelemetry is loaded, and work just runs. Names and
 * attributes, listed in docs/observability.md, never hold what people, models or repositories wrote.
 */
export interface SpanOptions {
  /** `internal` by default. */
  kind?: "server" | "client" | "consumer";
  attributes?: Attributes;
  /** The `traceparent` of the span before it; null begins a trace. By default, the active span. */
  parent?: string | null;
  /** The `traceparent`s of other spans that led to it. */
  links?: readonly string[];
}

/** Makes spans; see `trace-export.ts`. */
export interface Tracing {
  start: (name: string, options: SpanOptions, active: Span | null) => Span;
  /** Marks a span as failed. */
  fail: (span: Span) => void;
}

const running = new AsyncLocalStorage<Span>();
let tracing: Tracing | null = null;

/** From now on spans are made this way; null ends that. */
export function traceWith(given: Tracing | null): void {
  tracing = given;
}

/** Runs work in a span, which ends with it; an error that it throws is recorded by its code. */
export async function inSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  if (tracing === null) return await work();
  const span = tracing.start(name, options, running.getStore() ?? null);
  return await running.run(span, async () => {
    try {
      return await work();
    } catch (error) {
      recordFailure(span, error);
      throw error;
    } finally {
      span.end();
    }
  });
}

/** Begins a span for work that calls back when it is over, with what is known then. */
export function beginSpan(name: string, options: SpanOptions): (attributes: Attributes) => void {
  const span = tracing?.start(name, options, running.getStore() ?? null);
  return (attributes) => {
    if (span === undefined) return;
    setOn(span, attributes);
    span.end();
  };
}

/** Adds to the active span; `error.type` marks it as failed. */
export function noteInSpan(attributes: Attributes): void {
  const span = running.getStore();
  if (span !== undefined) setOn(span, attributes);
}

/** Links the active span with the one of a `traceparent` from outside, which is not trusted as its parent. */
export function linkSpan(traceparent: string | null): void {
  const linked = traceparent === null ? null : contextIn(traceparent);
  if (linked !== null) running.getStore()?.addLink({ context: linked });
}

/** The active span as W3C `traceparent`, which is stored with what goes on elsewhere or later; null without one. */
export function currentTrace(): string | null {
  const context = running.getStore()?.spanContext();
  if (context === undefined) return null;
  return `00-${context.traceId}-${context.spanId}-${(context.traceFlags & 1).toString().padStart(2, "0")}`;
}

/** Whether a stored span is of the same trace as the active one. */
export function isInTrace(traceparent: string): boolean {
  return running.getStore()?.spanContext().traceId === contextIn(traceparent)?.traceId;
}

/** For lines of the log. */
export function traceFields(): { trace_id?: string; span_id?: string } {
  const context = running.getStore()?.spanContext();
  return context === undefined ? {} : { trace_id: context.traceId, span_id: context.spanId };
}

const TRACEPARENT = /^00-(?!0{32})([\da-f]{32})-(?!0{16})([\da-f]{16})-([\da-f]{2})$/;

/** What a `traceparent` says; null for anything else. */
export function contextIn(traceparent: string) {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return null;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true };
}

function setOn(span: Span, attributes: Attributes): void {
  span.setAttributes(attributes);
  if (attributes["error.type"] !== undefined) tracing?.fail(span);
}

/** Without its message, which may quote anybody. Work that only makes way for other work has not failed. */
function recordFailure(span: Span, error: unknown): void {
  if (error instanceof Postponed && error.cause === undefined) span.setAttribute("relay.set_aside", true);
  else setOn(span, { "error.type": errorType(error) });
}

function errorType(error: unknown): string {
  if (error instanceof RelayError) return error.code;
  return error instanceof Error ? error.constructor.name : "unknown";
}
