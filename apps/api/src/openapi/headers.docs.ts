const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string', example },
});

/** Header of every response. */
export const REQUEST_ID = {
  'X-Request-Id': { description: 'Quote it when you report a problem.', schema: { type: 'string' } },
};

/** Headers of every response to a request with a valid key, errors included. */
export const RATE_HEADERS = {
  'RateLimit-Policy': text(
    'Requests that the account may make at once (`q`), and the seconds in which that many become available again (`w`).',
    '"default";q=100;w=10',
  ),
  RateLimit: text(
    'Requests that would pass now (`r`), and the seconds until that many are available again (`t`); with none left, until the next one is.',
    '"default";r=50;t=5',
  ),
};

export const RETRY_AFTER = {
  'Retry-After': {
    description: 'Seconds after which the same request may succeed.',
    schema: { type: 'integer', example: 1 },
  },
};

/** Header of a response that may repeat the one to an earlier request. */
export const REPLAYED = {
  'Idempotency-Replayed': {
    description: '`true`: the response repeats the one to an earlier request with the same Idempotency-Key.',
    schema: { type: 'string', enum: ['true'] },
  },
};

/** `Location` of what was created. */
export const locationOf = (description: string) => ({
  Location: { description, schema: { type: 'string' } },
});
