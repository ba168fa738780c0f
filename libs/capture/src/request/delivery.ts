import type { Fault } from '@app/kernel';
import { FORMATS, type Format } from '../formats/index.js';
import { defineFamily } from '../pipeline/family.js';
import { Choice, Text, Whole } from '../pipeline/option-fields.js';

const RESPONSES = ['file', 'json', 'zip'] as const;

export class DeliveryOptions {
  @Text('Your own tag, stored with the capture. The history can be filtered by it.', {
    exposure: 'public',
    max: 200,
    example: 'order-1234',
  })
  reference?: string;

  @Choice(
    RESPONSES,
    'What `POST /v1/capture` returns: the file, the record of the capture, or an archive of all its files and the record. A capture with several outputs or with slices returns its record instead of a file.',
    { exposure: 'answer' },
  )
  response: (typeof RESPONSES)[number] = 'file';

  @Text('Name of the file in `Content-Disposition`. The extension of its format is added if it is missing.', {
    exposure: 'public',
    max: 200,
    check: filenameFault,
    example: 'front-page.png',
  })
  filename?: string;

  @Whole(
    'Seconds for which the file is kept, at most as long as its record (RECORD_TTL_S, 90 days by default). Without it, RESULT_TTL_S applies, 7 days by default.',
    { exposure: 'own', min: 60, max: 31_536_000 },
  )
  expires_in_s?: number;
}

/** The name must not lead to another folder, a hidden file or a device. */
function filenameFault(name: string): string | undefined {
  // oxlint-disable-next-line no-control-regex -- it looks for control characters
  if (/[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069/\\:*?"<>|]/.test(name)) {
    return 'must not contain / \\ : * ? " < > | or control characters';
  }
  return /^[.\s]|[.\s]$/.test(name) ? 'must not begin or end with a dot or white space' : undefined;
}

/** The file name, with the extension of the format unless it has one. */
export function fileNameOf(name: string, format: Format): string {
  const { extension, otherExtensions = [] } = FORMATS[format];
  const hasExtension = [extension, ...otherExtensions].some((each) =>
    name.toLowerCase().endsWith(`.${each}`),
  );
  return hasExtension ? name : `${name}.${extension}`;
}

/** The faults of options that only a synchronous capture takes: if they were ignored, they would seem to work. */
export function deferredFaults(given: Readonly<Record<string, unknown>>, pointer: string): Fault[] {
  if (!Object.hasOwn(given, 'response')) return [];
  const detail = 'has a meaning for POST /v1/capture only: a job has a record and, at its result_url, a file';
  return [{ pointer: `${pointer}/response`, code: 'not_for_route', detail }];
}

export const delivery = defineFamily(
  { name: 'delivery', doc: 'How the file is returned and stored.' },
  DeliveryOptions,
);
