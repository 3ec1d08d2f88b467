import { type Context, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import type { TracerProvider } from '@opentelemetry/sdk-trace';
import { isFailure } from '../../contract/failure.js';
import { endsWithin } from '../../contract/within.js';
import { Ambient } from '../../core/ambient.js';
import type { Attributes, OpenSpan, SpanStart, Tracing } from './tracing.js';

const close_ms = 2_000;
const kinds = { internal: SpanKind.INTERNAL, server: SpanKind.SERVER, client: SpanKind.CLIENT } as const;
const propagator = new W3CTraceContextPropagator();
const getter = {
  keys: (carrier: object) => Object.keys(carrier),
  get: (carrier: Record<string, string | string[] | undefined>, key: string) => carrier[key],
};
const setter = {
  set(carrier: Record<string, string>, key: string, value: string) {
    carrier[key] = value;
  },
};

/** Creates spans with the OpenTelemetry SDK. The kernel tracks the current span itself, not in a global. */
export class Spans implements Tracing {
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #running = new Ambient<Recorded>();

  constructor(provider: TracerProvider) {
    this.#provider = provider;
    this.#tracer = provider.getTracer('platform');
  }

  span<T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>): Promise<T> {
    return this.open(start, async (span) => {
      try {
        return await work(span);
      } catch (thrown) {
        recordError(span, thrown);
        throw thrown;
      } finally {
        span.end();
      }
    });
  }

  open<T>({ name, kind = 'internal', attributes = {}, caller }: SpanStart, work: (span: OpenSpan) => T): T {
    const span = new Recorded(this.#tracer.startSpan(name, { kind: kinds[kind], attributes }, this.#parent(caller)));
    return this.#running.run(span, () => work(span));
  }

  current(): OpenSpan | undefined {
    return this.#running.current();
  }

  ids(): { trace_id: string; span_id: string } | undefined {
    const context = this.#running.current()?.span.spanContext();
    return context && { trace_id: context.traceId, span_id: context.spanId };
  }

  headers(): Readonly<Record<string, string>> {
    const headers: Record<string, string> = {};
    propagator.inject(this.#parent(undefined), headers, setter);
    return headers;
  }

  async close(): Promise<void> {
    await endsWithin(
      close_ms,
      this.#provider.shutdown().catch(() => {}),
    );
  }

  #parent(caller: SpanStart['caller']): Context {
    const running = this.#running.current();
    if (running) return trace.setSpan(ROOT_CONTEXT, running.span);
    return caller ? propagator.extract(ROOT_CONTEXT, caller, getter) : ROOT_CONTEXT;
  }
}

/** Records an error on a span. A caller's mistake doesn't mark the span as failed. */
function recordError(span: OpenSpan, thrown: unknown): void {
  if (!isFailure(thrown)) span.failed('internal_error');
  else if (thrown.status >= 500) span.failed(thrown.code);
  else span.set({ 'error.type': thrown.code });
}

class Recorded implements OpenSpan {
  readonly span: Span;

  constructor(span: Span) {
    this.span = span;
  }

  name(name: string): void {
    this.span.updateName(name);
  }

  set(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  failed(type: string): void {
    this.span.setAttribute('error.type', type);
    this.span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.span.end();
  }
}
