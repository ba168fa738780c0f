import { PassThrough, pipeline, type Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { MAX_BYTES } from '@app/bulk';
import { AppError, invalidRequest, type Fault } from '@app/kernel';
import type { Request } from 'express';
import { bodyOf, utf8TypeOf } from '../http/body/request-body.js';

const LIMIT = { bytes: MAX_BYTES, name: 'A CSV' };

/** The only field of a form. */
const FIELD = 'file';

/** A field that is not a file is refused, so its value need not be kept. */
const FORM_LIMITS = { fieldSize: 100, headerPairs: 20, headerSize: 8_192 };

/**
 * Streams the bytes of a CSV: the body itself, or the file of a form.
 *
 * @throws AppError `unsupported_media_type`; the errors of `bodyOf` and `fileOf`
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

/**
 * Streams the file of a form (`multipart/form-data`), which is its only field. The name of the file is ignored.
 *
 * @throws AppError `invalid_request` that names the field; the errors of reading the body
 */
async function* fileOf(
  body: AsyncIterable<Buffer>,
  contentType: string,
): AsyncGenerator<Buffer, void, undefined> {
  const form = openForm(contentType);
  const file = new PassThrough();
  let count = 0;
  form.on('file', (name: string | undefined, stream: Readable) => {
    // The form reports the same error.
    stream.on('error', () => undefined);
    const fault = name === FIELD ? (++count > 1 ? REPEATED : undefined) : unknownField(name);
    if (fault) file.destroy(invalidRequest([fault]));
    else stream.pipe(file, { end: false });
  });
  form.on('field', (name: string | undefined) => {
    file.destroy(invalidRequest([name === FIELD ? NO_FILE : unknownField(name)]));
  });
  // An error after the form was abandoned has no listener, and would end the process.
  form.on('error', () => undefined);
  pipeline(body, form, (error) => {
    if (error) file.destroy(error instanceof AppError ? error : malformedForm(error));
    else if (count === 0) file.destroy(invalidRequest([MISSING]));
    else file.end();
  });
  try {
    yield* file as AsyncIterable<Buffer>;
  } finally {
    form.destroy();
  }
}

function openForm(contentType: string): BusboyInstance {
  try {
    return new Busboy({ headers: { 'content-type': contentType }, limits: FORM_LIMITS });
  } catch (error) {
    throw malformedForm(error);
  }
}

function malformedForm(cause: unknown): AppError {
  return new AppError('invalid_request', {
    detail: 'The body is not a complete multipart/form-data.',
    cause,
  });
}

const MISSING: Fault = {
  pointer: FIELD,
  code: 'required',
  detail: 'is missing: the form must have this file',
};
const REPEATED: Fault = { pointer: FIELD, code: 'repeated', detail: 'must be sent once, as one file' };
const NO_FILE: Fault = { pointer: FIELD, code: 'wrong_type', detail: 'must be a file, with a file name' };

function unknownField(name = ''): Fault {
  const pointer = name.slice(0, 100);
  return {
    pointer,
    code: 'unknown_field',
    detail: `is not a known field; the form has one: ${FIELD}`,
  };
}
