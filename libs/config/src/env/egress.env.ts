import { Text, Whole } from '@app/kernel';

/** What captures may reach, and what is blocked. */
export class EgressEnv {
  @Text(
    'Comma-separated `CIDR:port` or `host:port` pairs that captures may reach although they are not public, ' +
      'such as `10.1.2.0/24:8080,[fd00::/8]:443,intranet:80`.',
    { min: 0, max: 10_000 },
  )
  EGRESS_ALLOW = '';

  @Text('Comma-separated CIDRs that captures may not reach although they are public.', {
    min: 0,
    max: 10_000,
  })
  EGRESS_DENY = '';

  @Text('Comma-separated ports that captures may reach.', {
    max: 200,
    pattern: /^\d{1,5}(,\d{1,5})*$/,
    message: 'must be ports such as 80,443',
  })
  EGRESS_PORTS = '80,443,8080,8443';

  @Whole('Maximum number of requests of one capture; a tunnel to a host (https, WebSocket) counts as one.', {
    min: 1,
    max: 1_000_000,
  })
  EGRESS_MAX_REQUESTS = 1_500;

  @Whole('Maximum number of open connections of one capture.', { min: 1, max: 10_000 })
  EGRESS_MAX_CONNECTIONS = 64;

  @Whole('Maximum number of bytes that one capture may send and receive, measured on the wire.', {
    min: 65_536,
    max: 10_737_418_240,
  })
  EGRESS_MAX_BYTES = 52_428_800;

  @Text(
    'Comma-separated URLs of filter lists, which replace those that come with the service. A list is of the kind `ads` ' +
      'unless its kind stands before it: `ads=`, `trackers=`, `chats=`, `annoyances=` or `cookies=` (for `block_cookie_banners`). ' +
      'Each worker downloads them once a day and keeps the last good content of each in DATA_DIR.',
    {
      min: 0,
      max: 10_000,
      secret: true,
      example: 'https://lists.example.com/ads.txt,trackers=https://lists.example.com/privacy.txt',
    },
  )
  FILTER_LISTS_URL = '';

  @Text(
    'File with filter rules of your own, which are added to the lists; it is read again when it changes. A line such as ' +
      '`! kind: cookies` gives the kind of the rules after it; before the first such line it is `ads`.',
    { max: 1_000, example: '/etc/capture/rules.txt' },
  )
  FILTER_RULES_FILE?: string;
}
