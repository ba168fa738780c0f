import { Choice, Text, Whole, type Fault } from '@app/kernel';
import { FORMATS, type Format } from '../formats/index.js';
import { defineFamily } from '../pipeline/family.js';

const RESPONSES = ['file', 'json'] as const;

export class DeliveryOptions {
  @Text('Your own tag, kept with the capture; the history can be filtered by it.', {
    max: 200,
    example: 'order-1234',
  })
  reference?: string;

  @Choice(RESPONSES, 'What `POST /v1/capture` answers with: the file, or the record of the capture.')
  response: (typeof RESPONSES)[number] = 'file';

  @Text('Name of the file in `Content-Disposition`; the extension of its format is added if it is missing.', {
    max: 200,
    check: filenameFault,
    example: 'front-page.png',
  })
  filename?: string;

  @Whole(
    'Seconds for which the file is kept, at most as long as its record (RECORD_TTL_S, 90 days by default). Without it: RESULT_TTL_S, 7 days by default.',
    {
      min: 60,
      max: 31_536_000,
    },
  )
  expires_in_s?: number;
}

/** Whoever saves it must not be led to another folder, a hidden file or a device. */
function filenameFault(name: string): string | undefined {
  // eslint-disable-next-line no-control-regex -- control characters are what it looks for
  if (/[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069/\\:*?"<>|]/.test(name)) {
    return 'must not contain / \\ : * ? " < > | or control characters';
  }
  return /^[.\s]|[.\s]$/.test(name) ? 'must not begin or end with a dot or white space' : undefined;
}

/** The name a file of this format is saved under: with the extension it needs, unless it has one. */
export function fileNameOf(name: string, format: Format): string {
  const { extension, otherExtensions = [] } = FORMATS[format];
  const hasExtension = [extension, ...otherExtensions].some((each) =>
    name.toLowerCase().endsWith(`.${each}`),
  );
  return hasExtension ? name : `${name}.${extension}`;
}

/** What is wrong with options of a capture that nobody waits for; without it they would look as if they worked. */
export function deferredFaults(given: Readonly<Record<string, unknown>>, pointer: string): Fault[] {
  if (!Object.hasOwn(given, 'response')) return [];
  const detail = 'has a meaning for POST /v1/capture only: a job has a record and, at its result_url, a file';
  return [{ pointer: `${pointer}/response`, code: 'not_for_route', detail }];
}

export const delivery = defineFamily(
  { name: 'delivery', doc: 'How the file is delivered and kept.' },
  DeliveryOptions,
);
