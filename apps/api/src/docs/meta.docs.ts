import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { Health } from '../health/health.response.js';
import { ServiceVersion } from '../version/version.response.js';
import { ref } from './schemas.js';

const USAGE = `The unit is one capture. \`used\` counts succeeded captures of the period and those accepted and not finished yet; a
failed or canceled capture gives its unit back.

* The period is the calendar month (UTC), or unlimited (\`ever\`). A capture belongs to the month in which it was accepted, whenever it ends.
* \`concurrency\` counts captures in progress. Lowering the limit ends no capture: \`remaining\` is 0 until enough have ended.
* An account with its own webhook URL receives \`usage.threshold\` when 80 % and 100 % of \`total\` are used, each once in a
  period, and again after \`total\` was raised.`;

export const DocumentsUsage = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show the usage',
      description: USAGE,
      operationId: 'getUsage',
    }),
    ApiResponse({ status: 200, content: { 'application/json': { schema: ref('Usage') } } }),
  );

export const DocumentsDevices = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List devices',
      description: 'The values of the option `device`, and what each sets.',
      operationId: 'listDevices',
    }),
    ApiResponse({ status: 200, content: { 'application/json': { schema: ref('DeviceList') } } }),
    ApiResponse({ status: 304, description: 'The caller has it already.' }),
  );

export const DocumentsHealth = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'Show the health',
      description: 'What the service needs, asked at most every 2 s.',
      operationId: 'getHealth',
    }),
    ApiResponse({ status: 200, type: Health }),
    ApiResponse({ status: 503, type: Health, description: 'The database is away.' }),
  );

export const DocumentsVersion = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Show the version', operationId: 'getVersion' }),
    ApiResponse({ status: 200, type: ServiceVersion }),
  );
