/** Attributes of a span; must not contain content, secrets or ids of people. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  name: string;
  /** `server` for a request that came in, `client` for a call that went out. Default: `internal`. */
  kind?: 'internal' | 'server' | 'client';
  attributes?: Attributes;
  /** `traceparent` and `tracestate` of the caller (W3C Trace Context). Default: the current span is the parent. */
  caller?: Readonly<Record<string, string | string[] | undefined>>;
}

/** An open span. */
export interface OpenSpan {
  name(name: string): void;
  set(attributes: Attributes): void;
  /** Marks the span as failed; `type` is a code of low cardinality. */
  failed(type: string): void;
  end(): void;
}

/** Records work and its duration for an OpenTelemetry collector. */
export interface Tracing {
  /** Runs work inside a span, which ends with it. Errors are rethrown. */
  span<T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** Runs work inside a span that the caller ends. */
  open<T>(start: SpanStart, work: (span: OpenSpan) => T): T;
  /** Returns the current span, if any. */
  current(): OpenSpan | undefined;
  /** Returns the ids of the current span, for log lines. */
  ids(): { trace_id: string; span_id: string } | undefined;
  /** Returns the headers that propagate the current trace. */
  headers(): Readonly<Record<string, string>>;
  /** Sends the remaining spans, within 2 s. */
  close(): Promise<void>;
}
