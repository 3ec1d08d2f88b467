import { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, type Sampler, TraceIdRatioBasedSampler } from '@opentelemetry/sdk-trace';

const always = new AlwaysOnSampler();

/** Which traces are kept, by `OTEL_TRACES_SAMPLER` and `OTEL_TRACES_SAMPLER_ARG`; undefined where the name is not known. */
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

/** All of them where it is no number from 0 to 1, as the specification of OpenTelemetry has it. */
function ratioOf(argument: string | undefined): number {
  const ratio = argument?.trim() ? Number(argument) : 1;
  return ratio >= 0 && ratio <= 1 ? ratio : 1;
}
