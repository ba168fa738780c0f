import { Flag, Text, Whole } from '@app/kernel';

/** The options, sizes and lifetimes of captures, and their webhooks. */
export class ResultEnv {
  @Whole('Maximum size in bytes of all files of one capture together.', { min: 1_024, max: 1_073_741_824 })
  RESULT_MAX_BYTES = 52_428_800;

  @Whole('Maximum number of sessions of an account (docs/sessions.md).', { min: 0, max: 100_000 })
  SESSIONS_PER_ACCOUNT = 20;

  @Text(
    'Options of captures whose callers do not set them, as a JSON object. A caller’s option takes precedence, and a default ' +
      'that contradicts it does not apply (docs/operations.md). Read by the API.',
    { max: 50_000, example: '{"clean":true,"wait_until":"auto"}' },
  )
  DEFAULT_OPTIONS = '{}';

  @Whole('Seconds for which a file is kept if the request has no `expires_in_s`.', {
    min: 60,
    max: 31_536_000,
  })
  RESULT_TTL_S = 604_800;

  // At least a day, because an Idempotency-Key is answered from the record for that long.
  @Whole(
    'Seconds for which the record of a capture is kept after its end. Its file is deleted with it at the latest.',
    { min: 86_400, max: 315_360_000 },
  )
  RECORD_TTL_S = 7_776_000;

  @Whole('Seconds for which the audit trail of accounts and keys is kept.', { min: 86_400, max: 315_360_000 })
  AUDIT_TTL_S = 31_536_000;

  @Flag('Also accept webhook URLs with http.')
  WEBHOOK_HTTP = false;

  @Text(
    'SMTP server for the mails of monitors, with user and password; `smtps:` for TLS from the start. Unset: monitors with mail ' +
      'addresses are refused. Read by the API and the worker.',
    {
      max: 2_000,
      pattern: /^smtps?:\/\//,
      message: 'must be a URL such as smtps://user:password@smtp.example.com',
      secret: true,
      example: 'smtps://user:password@smtp.example.com',
    },
  )
  SMTP_URL?: string;

  @Text('Sender of the mails of monitors. Unset: `capture-service@` and the host of SMTP_URL.', {
    max: 320,
    example: 'Capture Service <capture@example.com>',
  })
  SMTP_FROM?: string;

  @Whole('Monitors that an account may have.', { min: 0, max: 1_000_000 })
  MONITORS_PER_ACCOUNT = 1_000;

  @Flag('Lets callers crawl with `"robots": "ignore"`, for services whose sites are all their own.')
  CRAWL_ROBOTS_IGNORABLE = false;
}
