import { type ExportResult, ExportResultCode } from '@opentelemetry/core';
import type { ReadableSpan, SpanExporter } from '@opentelemetry/sdk-trace';
import type { Log } from '../../contract/extension.js';

/** Says once that spans can't be sent, and once that they can again. Spans that could not be sent are gone. */
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
      // It was reported; the processor would report it to the whole process.
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
    if (isAway) this.#log.warn('Traces can not be sent to the collector, and are dropped until they can', { reason: error?.message });
    else this.#log.info('Traces are sent to the collector again');
  }
}
