/** What the generated documents tell of: read from the build, so that what is documented is what runs. */
export { renderDevicePresets, renderOptionsDoc } from '@app/capture';
export { Env } from '@app/config';
export { migrate } from '@app/database';
export { ERRORS, fieldsOf } from '@app/kernel';
export { API_METRICS } from '../../apps/api/src/metrics/api-metrics.js';
export { WORKER_METRICS } from '../../apps/worker/src/metrics/worker-metrics.js';
export { renderOpenApi } from './openapi.js';
