import { fileSchemas, FORMAT_NAMES } from '@app/capture';
import { CACHE_OUTCOMES } from '@app/jobs';
import { every, integer, orNull, string } from '@app/kernel';

export const FILE_RECORD = every({
  name: {
    ...string,
    description: '`result`, or the name of the output; `diff` is the picture of what changed.',
  },
  format: { type: 'string', enum: FORMAT_NAMES },
  bytes: integer,
  sha256: { ...string, description: 'SHA-256 in hex.' },
  ...fileSchemas(),
  url: orNull('string', 'Path of the file; null once it has expired.'),
});

export const CACHE_REPORT = {
  ...every({
    status: {
      ...orNull('string', 'How the cache answered; null while the capture is queued.'),
      enum: [...CACHE_OUTCOMES, null],
    },
    key: { ...string, description: 'Captures with the same key answer for each other.' },
    age_s: orNull(
      'integer',
      'How old the files were when they answered, in seconds; null unless it succeeded.',
    ),
  }),
  description:
    'The part of the cache; null unless the capture asked for it. `miss` and `bypass` made their own visit, the others show the files of another capture.',
};
