import { MAX_BYTES } from '@app/bulk';
import { AppError } from '@app/kernel';
import type { Request } from 'express';
import { bodyOf, utf8TypeOf } from '../http/body.js';
import { fileOf } from './csv-form.js';

const LIMIT = { bytes: MAX_BYTES, name: 'A CSV' };

/**
 * The bytes of a CSV that is the body, or the file of a form, as they come in.
 *
 * @throws AppError `unsupported_media_type`; and what reading the body throws
 */
export function csvBodyOf(request: Request): AsyncIterable<Buffer> {
  const contentType = request.headers['content-type'] ?? '';
  const body = bodyOf(request, LIMIT);
  if (/^multipart\/form-data *;/i.test(contentType)) return fileOf(body, contentType);
  if (utf8TypeOf(contentType) === 'text/csv') return body;
  throw new AppError('unsupported_media_type', {
    detail: 'Send the body as text/csv, in UTF-8, or as multipart/form-data with one file.',
  });
}
