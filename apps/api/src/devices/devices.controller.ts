import { createHash } from 'node:crypto';
import { Controller, Get, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { devicePresets } from '@app/capture';
import type { Response } from 'express';
import { DocumentsDevices } from '../docs/meta.docs.js';

/** Fixed for as long as the process lives, so it is written once. */
const BODY = JSON.stringify({ items: devicePresets() });
const ETAG = `"${createHash('sha256').update(BODY).digest('hex')}"`;

@ApiTags('Service')
@Controller('v1/devices')
export class DevicesController {
  @Get()
  @DocumentsDevices()
  list(@Res() response: Response): void {
    response.set({ ETag: ETAG, 'Cache-Control': 'private, no-cache' });
    // Express answers 304 by itself when the caller has it already.
    response.type('application/json').send(BODY);
  }
}
