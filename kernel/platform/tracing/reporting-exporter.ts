import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '../../contract/extension.js';

/** Logs once if spans can't be sent, and once when they can again. Unsent spans are dropped. */
export class ReportingExporter implements SpanExporter {
  readonly #inner: SpanExporter;
  readonly #log: Log;
  #isAway = false;

  constructor(inner: SpanExporter, log: Log) {
    this.#inner = inner;
    this.#log = log;
  }

  export(spans: ReadableSpan[], done: (result: ExportResult) => void): void {
    this.#inner.export(spans, (result) => {
      this.#report(result);
      // Already logged; the processor would report it globally.
      done({ code: ExportResultCode.SUCCESS });
    });
  }

  shutdown(): Promise<void> {
    return this.#inner.shutdown();
  }

  #report({ code, error }: ExportResult): void {
    const isAway = code !== ExportResultCode.SUCCESS;
    if (isAway === this.#isAway) return;
    this.#isAway = isAway;
    if (isAway) this.#log.warn('The trace collector is unavailable; traces are dropped until it is back', { reason: error?.message });
    else this.#log.info('The trace collector is back; traces are sent again');
  }
}
