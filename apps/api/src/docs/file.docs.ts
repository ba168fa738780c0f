import { FORMATS } from '@app/capture';

const text = (description: string, example?: string) => ({
  description,
  schema: { type: 'string', ...(example !== undefined && { example }) },
});

/** What comes with the file of a capture. */
export const FILE_HEADERS = {
  'X-Capture-Id': text('Id of the capture.'),
  'X-Capture-Http-Status': text('Status the target answered with.', '200'),
  'X-Capture-Final-Url': text('Where redirects led; left out when longer than 2,048 characters.'),
  'X-Capture-Billable': text('Whether the capture costs a unit of the allowance.', 'true'),
  'Server-Timing': text(
    'Time in ms of each phase.',
    'queue;dur=3, prepare;dur=2, navigate;dur=120, settle;dur=0, render;dur=60, store;dur=2',
  ),
  ETag: text('SHA-256 of the bytes, quoted.'),
  'Content-Disposition': text('Name of the file.', 'inline; filename="example.com.png"'),
};

const BINARY = { schema: { type: 'string', format: 'binary' } };

/** The file in each format. */
export const FILE_CONTENT = Object.fromEntries(
  Object.values(FORMATS).map(({ contentType }) => [contentType, BINARY]),
);
