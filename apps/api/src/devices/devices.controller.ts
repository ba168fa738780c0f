import { createHash } from 'node:crypto';
import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { devicePresets } from '@app/capture';
import type { Response } from 'express';
import { NeedsScope } from '../http/auth/scope.js';
import { DocumentsDevices } from './devices.docs.js';
import { answersNotModified, REVALIDATE } from '../http/caching.js';

/** Constant for the lifetime of the process. */
const BODY = JSON.stringify({ items: devicePresets() });
const ETAG = `"${createHash('sha256').update(BODY).digest('hex')}"`;

@ApiTags('Service')
@Controller('v1/devices')
export class DevicesController {
  @Get()
  @NeedsScope('any')
  @DocumentsDevices()
  list(@Res() response: Response): void {
    if (answersNotModified(ETAG, response)) return;
    response.set({ ETag: ETAG, ...REVALIDATE });
    response.type('application/json').send(BODY);
  }
}
