import { Text, Whole } from '@app/kernel';

const CLIENT_TIMEOUT_MS = { min: 100, max: 600_000 };

/** Addresses, ports and how requests arrive. */
export class ServerEnv {
  @Text('Address on which the API listens.', { max: 255 })
  HOST = '127.0.0.1';

  @Whole('Port of the API.', { min: 1, max: 65_535 })
  PORT = 3000;

  @Whole(
    'Port of the API for `/v1/admin`, which is then not found at PORT; everything else is served there, too. 0: `/v1/admin` is served at PORT.',
    { min: 0, max: 65_535 },
  )
  ADMIN_PORT = 0;

  @Text(
    'URL at which clients reach the API, for the links of `POST /v1/links`; a path in it must be one that the proxy in front ' +
      'removes. Unset: the scheme and the host of the request.',
    {
      max: 1_000,
      pattern: /^https?:\/\/[^\s?#]+$/,
      message: 'must be a URL such as https://capture.example.com',
      example: 'https://capture.example.com',
    },
  )
  PUBLIC_URL?: string;

  @Whole('Time in ms within which a client must send the headers of a request.', CLIENT_TIMEOUT_MS)
  HTTP_HEADERS_TIMEOUT_MS = 10_000;

  @Whole('Time in ms within which a client must send the whole request and its body.', CLIENT_TIMEOUT_MS)
  HTTP_REQUEST_TIMEOUT_MS = 30_000;

  @Whole(
    'Number of trusted proxies in front of the API that append to `X-Forwarded-For`. 0: the header is ignored, and the ' +
      'client is the peer of the connection.',
    { min: 0, max: 10 },
  )
  TRUSTED_PROXIES = 0;

  @Whole(
    'Maximum number of requests without a valid key per minute and client address; further ones get 429 instead of 401. ' +
      'Behind a proxy set TRUSTED_PROXIES, otherwise all clients count as one address.',
    { min: 1, max: 1_000_000 },
  )
  AUTH_FAILURES_PER_MINUTE = 20;

  @Text('Address on which the probe port of the worker listens.', { max: 255 })
  WORKER_HOST = '127.0.0.1';

  @Whole('Port of the worker for probes.', { min: 1, max: 65_535 })
  WORKER_PORT = 3001;

  @Text('Address on which the metrics of the API and the worker are served.', { max: 255 })
  METRICS_HOST = '127.0.0.1';

  @Whole('Port of the API for `/metrics` (Prometheus). 0: disabled.', { min: 0, max: 65_535 })
  METRICS_PORT = 3002;

  @Whole('Port of the worker for `/metrics` (Prometheus). 0: disabled.', { min: 0, max: 65_535 })
  WORKER_METRICS_PORT = 3003;
}
