import { PassThrough, pipeline, type Readable } from 'node:stream';
import { Busboy, type BusboyInstance } from '@fastify/busboy';
import { AppError, invalidRequest, type Fault } from '@app/kernel';

/** The one field of the form. */
const FIELD = 'file';

/** Of a field that is no file, and therefore refused: its value need not be kept. */
const LIMITS = { fieldSize: 100, headerPairs: 20, headerSize: 8_192 };

/**
 * The file of a form (`multipart/form-data`), which is its one field, as it comes in. The name of the file is ignored.
 *
 * @throws AppError `invalid_request` that names the field; and what reading the body throws
 */
export async function* fileOf(
  body: AsyncIterable<Buffer>,
  contentType: string,
): AsyncGenerator<Buffer, void, undefined> {
  const form = openForm(contentType);
  const file = new PassThrough();
  let count = 0;
  form.on('file', (name: string | undefined, stream: Readable) => {
    // What breaks off the form is told by the form.
    stream.on('error', () => undefined);
    const fault = name === FIELD ? (++count > 1 ? TWICE : undefined) : otherField(name);
    if (fault) file.destroy(invalidRequest([fault]));
    else stream.pipe(file, { end: false });
  });
  form.on('field', (name: string | undefined) => {
    file.destroy(invalidRequest([name === FIELD ? NO_FILE : otherField(name)]));
  });
  // One that comes after the form was given up has nobody to tell.
  form.on('error', () => undefined);
  pipeline(body, form, (error) => {
    if (error) file.destroy(error instanceof AppError ? error : brokenForm(error));
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
    return new Busboy({ headers: { 'content-type': contentType }, limits: LIMITS });
  } catch (error) {
    throw brokenForm(error);
  }
}

function brokenForm(cause: unknown): AppError {
  return new AppError('invalid_request', { detail: 'The body is not a whole multipart/form-data.', cause });
}

const MISSING: Fault = {
  pointer: FIELD,
  code: 'required',
  detail: 'is missing: the form must have this file',
};
const TWICE: Fault = { pointer: FIELD, code: 'repeated', detail: 'must be there once: send one file' };
const NO_FILE: Fault = { pointer: FIELD, code: 'wrong_type', detail: 'must be a file, with a file name' };

function otherField(name = ''): Fault {
  const pointer = name.slice(0, 100);
  return {
    pointer,
    code: 'unknown_field',
    detail: `is not a known field; the form has one: ${FIELD}`,
  };
}
