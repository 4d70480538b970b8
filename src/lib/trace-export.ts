import { type Context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import { messageOf } from "./errors.ts";
import type { Log } from "./log.ts";
import { type SpanOptions, type Tracing, contextIn, traceWith } from "./trace.ts";

/** What the standard variables say besides those that the exporter reads itself. */
export interface TraceSettings {
  sampler: string;
  samplerArgument: string | undefined;
  /** Milliseconds that sending a batch may take, and with it the end of the program. */
  timeoutMs: number;
  /** The protocol that somebody asked for; spans are sent as `http/json` whatever it is. */
  protocol: string | undefined;
}

const PROTOCOL = "http/json";
const MARGIN_MS = 500;
const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, consumer: SpanKind.CONSUMER };

/**
 * Sends spans to the collector of `OTEL_EXPORTER_OTLP_ENDPOINT` until it is closed, which sends the rest within
 * `timeoutMs`. A collector that is down or slow loses spans, and keeps nothing waiting.
 */
export function exportTraces(settings: TraceSettings, log: Log): { close: () => Promise<void> } {
  if (settings.protocol !== undefined && settings.protocol !== PROTOCOL) {
    log.warn({ protocol: settings.protocol }, `traces are sent as ${PROTOCOL}; the collector has to take that`);
  }
  const sampler = samplerOf(settings, log);
  const { timeoutMs } = settings;
  const exporter = new TellingExporter(timeoutMs, log);
  const provider = new TracerProvider({
    sampler,
    resource: defaultResource()
      .merge(resourceFromAttributes({ "service.name": "relay", "process.pid": process.pid }))
      .merge(detectResources({ detectors: [envDetector] })),
    // The exporter's own limit comes first, and says why.
    spanProcessors: [new BatchSpanProcessor({ exporter, exportTimeoutMillis: timeoutMs + MARGIN_MS })],
  });
  traceWith({ start: starting(provider), fail: (span) => void span.setStatus({ code: SpanStatusCode.ERROR }) });
  return {
    close: async () => {
      traceWith(null);
      // Whoever hears of a failure has heard of it.
      await provider.shutdown().catch(() => {});
    },
  };
}

function starting(provider: TracerProvider): Tracing["start"] {
  const tracer = provider.getTracer("relay");
  return (name, { kind, attributes = {}, parent, links = [] }, active) => {
    const before = parent === undefined ? active && trace.setSpan(ROOT_CONTEXT, active) : remote(parent);
    return tracer.startSpan(
      name,
      { kind: kind === undefined ? SpanKind.INTERNAL : KINDS[kind], attributes, links: linksOf(links) },
      before ?? ROOT_CONTEXT,
    );
  };
}

function remote(parent: string | null): Context | null {
  const context = parent === null ? null : contextIn(parent);
  return context && trace.setSpanContext(ROOT_CONTEXT, context);
}

function linksOf(links: NonNullable<SpanOptions["links"]>) {
  return links.flatMap((link) => {
    const context = contextIn(link);
    return context === null ? [] : [{ context }];
  });
}

/** Says once that spans do not arrive, and again only after some did. */
class TellingExporter extends OTLPTraceExporter {
  readonly #log: Log;
  #isFailing = false;

  constructor(timeoutMillis: number, log: Log) {
    super({ timeoutMillis });
    this.#log = log;
  }

  override export(...[spans, done]: Parameters<OTLPTraceExporter["export"]>): void {
    super.export(spans, (result) => {
      const { error } = result;
      if (error !== undefined && !this.#isFailing) {
        const why = messageOf(error).slice(0, 300);
        this.#log.warn({ error: why }, "traces do not reach the collector; Relay goes on without");
      }
      this.#isFailing = error !== undefined;
      done(result);
    });
  }
}

function samplerOf({ sampler, samplerArgument }: TraceSettings, log: Log): Sampler {
  const ratio = () => {
    const share = Number(samplerArgument ?? 1);
    if (share >= 0 && share <= 1) return new TraceIdRatioBasedSampler(share);
    log.warn({ argument: samplerArgument }, "OTEL_TRACES_SAMPLER_ARG is no share from 0 to 1; everything is sampled");
    return new AlwaysOnSampler();
  };
  switch (sampler) {
    case "always_on":
      return new AlwaysOnSampler();
    case "always_off":
      return new AlwaysOffSampler();
    case "traceidratio":
      return ratio();
    case "parentbased_always_on":
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
    case "parentbased_always_off":
      return new ParentBasedSampler({ root: new AlwaysOffSampler() });
    case "parentbased_traceidratio":
      return new ParentBasedSampler({ root: ratio() });
    default:
      log.warn({ sampler }, "OTEL_TRACES_SAMPLER is none that Relay knows; everything is sampled");
      return new ParentBasedSampler({ root: new AlwaysOnSampler() });
  }
}
