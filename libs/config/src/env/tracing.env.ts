import { Choice, Decimal, Text } from '@app/kernel';

const SAMPLERS = ['always_on', 'always_off', 'traceidratio'];

/** Where traces are sent, by the names of OpenTelemetry. */
export class TracingEnv {
  @Text(
    'URL of an OpenTelemetry receiver (OTLP over HTTP) for traces, without `/v1/traces`. Unset: no traces.',
    {
      max: 2_000,
      pattern: /^https?:\/\/[^\s?#]+$/,
      message: 'must be a URL such as http://localhost:4318',
      example: 'http://localhost:4318',
    },
  )
  OTEL_EXPORTER_OTLP_ENDPOINT?: string;

  @Text('Headers for that receiver as `name=value,name=value`; values may be percent-encoded.', {
    max: 10_000,
    secret: true,
    example: 'authorization=Bearer%20token',
  })
  OTEL_EXPORTER_OTLP_HEADERS?: string;

  @Text('Name of the process in traces. Unset: `capture-service-api` or `capture-service-worker`.', {
    max: 255,
  })
  OTEL_SERVICE_NAME?: string;

  @Text('Further attributes of the process in traces, as `name=value,name=value`.', {
    min: 0,
    max: 10_000,
    example: 'deployment.environment.name=production',
  })
  OTEL_RESOURCE_ATTRIBUTES = '';

  @Choice(
    [...SAMPLERS, ...SAMPLERS.map((name) => `parentbased_${name}`)],
    'Which traces are recorded. With `parentbased_…` the `traceparent` of a caller decides, if there is one.',
  )
  OTEL_TRACES_SAMPLER = 'parentbased_always_on';

  @Decimal('Part of the traces that `traceidratio` and `parentbased_traceidratio` record.', {
    min: 0,
    max: 1,
  })
  OTEL_TRACES_SAMPLER_ARG = 1;
}
