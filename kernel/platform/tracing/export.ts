import { getNumberFromEnv } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type BatchSpanProcessorOptions,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { ATTR_SERVICE_INSTANCE_ID, ATTR_SERVICE_NAME, ATTR_SERVICE_VERSION } from '@opentelemetry/semantic-conventions';
import type { TracingOptions } from './open.js';
import { ReportingExporter } from './reporting-exporter.js';
import { Spans } from './spans.js';
import type { Tracing } from './tracing.js';

const always = new AlwaysOnSampler();

/** Creates the sampler of `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`; undefined if the name is unknown. */
export function samplerOf(name: string, argument: string | undefined): Sampler | undefined {
  const ofParent = name.startsWith('parentbased_');
  const root = rootOf(ofParent ? name.slice('parentbased_'.length) : name, argument);
  return root && (ofParent ? new ParentBasedSampler({ root }) : root);
}

function rootOf(name: string, argument: string | undefined): Sampler | undefined {
  switch (name) {
    case 'always_on':
      return always;
    case 'always_off':
      return new AlwaysOffSampler();
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratioOf(argument));
    default:
      return undefined;
  }
}

/** Parses a ratio; 1 if it is not a number from 0 to 1, as OpenTelemetry specifies. */
function ratioOf(argument: string | undefined): number {
  const ratio = argument?.trim() ? Number(argument) : 1;
  return ratio >= 0 && ratio <= 1 ? ratio : 1;
}

const max_value_length = 1_024;

/** Sends spans as OTLP over HTTP, in JSON. Reads the variables of OpenTelemetry from the process's environment. */
export function openExport(options: TracingOptions): Tracing {
  const exporter = new ReportingExporter(new OTLPTraceExporter(), options.log);
  const provider = new TracerProvider({
    resource: resourceOf(options),
    sampler: samplerFrom(options),
    spanLimits: { attributeValueLengthLimit: max_value_length },
    spanProcessors: [new BatchSpanProcessor({ exporter, ...queueLimits() })],
  });
  return new Spans(provider);
}

function resourceOf({ version, instance }: TracingOptions) {
  const own = resourceFromAttributes({
    [ATTR_SERVICE_NAME]: 'platform',
    [ATTR_SERVICE_VERSION]: version,
    [ATTR_SERVICE_INSTANCE_ID]: instance,
  });
  return own.merge(detectResources({ detectors: [envDetector] }));
}

function samplerFrom({ env, log }: TracingOptions): Sampler {
  const name = env.OTEL_TRACES_SAMPLER?.trim() || 'parentbased_always_on';
  const sampler = samplerOf(name, env.OTEL_TRACES_SAMPLER_ARG);
  if (!sampler) log.warn(`OTEL_TRACES_SAMPLER is '${name}', which is unknown: all traces are sent`);
  return sampler ?? (samplerOf('parentbased_always_on', undefined) as Sampler);
}

/** Reads the queue limits from the environment. Default: those of OpenTelemetry, 2,048 waiting spans; more are dropped. */
function queueLimits(): Omit<BatchSpanProcessorOptions, 'exporter'> {
  const given = {
    maxQueueSize: getNumberFromEnv('OTEL_BSP_MAX_QUEUE_SIZE'),
    maxExportBatchSize: getNumberFromEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE'),
    scheduledDelayMillis: getNumberFromEnv('OTEL_BSP_SCHEDULE_DELAY'),
    exportTimeoutMillis: getNumberFromEnv('OTEL_BSP_EXPORT_TIMEOUT'),
  };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value > 0));
}
