import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { ServiceVersion } from './version.response.js';

export const DocumentsVersion = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({ summary: 'Show the version', operationId: 'getVersion' }),
    ApiResponse({ status: 200, type: ServiceVersion }),
  );
