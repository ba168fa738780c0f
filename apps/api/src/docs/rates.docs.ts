const string = (description: string, example: string) => ({
  description,
  schema: { type: 'string', example },
});

/** Of every response to a request with a valid key, an error too. */
export const RATE_HEADERS = {
  'RateLimit-Policy': string(
    'Requests that the account may make at once (`q`), and the seconds in which that many become available again (`w`).',
    '"default";q=100;w=10',
  ),
  RateLimit: string(
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
