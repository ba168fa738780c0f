import { applyDecorators } from '@nestjs/common';
import { ApiOperation, ApiResponse } from '@nestjs/swagger';
import { DEVICE_CATEGORIES, type devicePresets } from '@app/capture';
import { boolean, every, integer, ref, string } from '../openapi/schemas.js';

type Device = ReturnType<typeof devicePresets>[number];

export const DEVICE = every({
  id: { ...string, example: 'iphone-15-pro' },
  name: { ...string, example: 'iPhone 15 Pro' },
  category: { ...string, enum: DEVICE_CATEGORIES },
  viewport_width: integer,
  viewport_height: integer,
  device_scale_factor: { type: 'number' },
  mobile: boolean,
  touch: boolean,
  landscape: boolean,
  user_agent: { type: ['string', 'null'], description: "Null: the browser's own." },
} satisfies Record<keyof Device, object>);

export const DEVICE_LIST = every({ items: { type: 'array', items: ref('Device') } });

export const DocumentsDevices = (): MethodDecorator =>
  applyDecorators(
    ApiOperation({
      summary: 'List devices',
      description: 'The values of the option `device`, and what each of them sets.',
      operationId: 'listDevices',
    }),
    ApiResponse({ status: 200, content: { 'application/json': { schema: ref('DeviceList') } } }),
    ApiResponse({ status: 304, description: 'The caller has the current version.' }),
  );
