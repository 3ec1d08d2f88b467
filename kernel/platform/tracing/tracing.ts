/** What a span may say: no contents, no secrets, no ids of people. */
export type Attributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  name: string;
  /** `server` for a request that came in, `client` for a call that went out. Default: `internal`. */
  kind?: 'internal' | 'server' | 'client';
  attributes?: Attributes;
  /** `traceparent` and `tracestate` of whoever called (W3C Trace Context); else the span that runs here is its parent. */
  caller?: Readonly<Record<string, string | string[] | undefined>>;
}

/** A span that is open. */
export interface OpenSpan {
  name(name: string): void;
  set(attributes: Attributes): void;
  /** It ended badly: `type` is a code, the less there are of them the better. */
  failed(type: string): void;
  end(): void;
}

/** Work and how long it took, for a collector of OpenTelemetry. */
export interface Tracing {
  /** Does the work inside of a span, which ends with it. What the work throws goes on. */
  span<T>(start: SpanStart, work: (span: OpenSpan) => Promise<T>): Promise<T>;
  /** Does the work inside of a span that its holder ends. */
  open<T>(start: SpanStart, work: (span: OpenSpan) => T): T;
  /** The span that runs here; undefined outside of any. */
  current(): OpenSpan | undefined;
  /** Its ids, for log lines. */
  ids(): { trace_id: string; span_id: string } | undefined;
  /** The headers by which who is called continues the trace that runs here. */
  headers(): Readonly<Record<string, string>>;
  /** Sends what is left, within 2 s. */
  close(): Promise<void>;
}
