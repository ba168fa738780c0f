import type { Env } from '@app/config';

/** The default of `OTEL_SERVICE_NAME`. */
export type ServiceName = 'capture-service-api' | 'capture-service-worker';

/** Sends what is recorded, for a few seconds at most; it never rejects. */
export type StopTracing = () => Promise<void>;

/** Starts to record spans if there is an endpoint to send them to. Otherwise OpenTelemetry's SDK is not even loaded. */
export async function startTracing(env: Env, service: ServiceName): Promise<StopTracing> {
  if (env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return () => Promise.resolve();
  const { startSdk } = await import('./sdk.js');
  return startSdk(env, env.OTEL_EXPORTER_OTLP_ENDPOINT, service);
}
