import type { Log } from '../../contract/extension.js';
import type { Tracing } from './tracing.js';

export interface TracingOptions {
  /** The process's environment, from which the exporter reads its address, headers and limits as well. */
  env: NodeJS.ProcessEnv;
  /** The platform's version and the id of this process. */
  version: string;
  instance: string;
  log: Log;
}

/**
 * Opens tracing according to OpenTelemetry's variables: to `OTEL_EXPORTER_OTLP_ENDPOINT` or
 * `OTEL_EXPORTER_OTLP_TRACES_ENDPOINT`. Without one of them it returns undefined and loads nothing.
 */
export async function openTracing(options: TracingOptions): Promise<Tracing | undefined> {
  if (!isWanted(options)) return undefined;
  const { openExport } = await import('./export.js');
  return openExport(options);
}

function isWanted({ env, log }: TracingOptions): boolean {
  if (env.OTEL_SDK_DISABLED?.trim().toLowerCase() === 'true') return false;
  const exporter = env.OTEL_TRACES_EXPORTER?.trim() || 'otlp';
  const endpoint = env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT?.trim() || env.OTEL_EXPORTER_OTLP_ENDPOINT?.trim();
  if (exporter === 'none' || !endpoint) return false;
  if (exporter !== 'otlp') {
    log.warn(`No traces are sent: OTEL_TRACES_EXPORTER is '${exporter}', but only 'otlp' and 'none' are supported`);
    return false;
  }
  if (URL.canParse(endpoint) && /^https?:$/.test(new URL(endpoint).protocol)) return true;
  log.warn('No traces are sent: the endpoint of OpenTelemetry must be an http or https address, such as http://127.0.0.1:4318');
  return false;
}
