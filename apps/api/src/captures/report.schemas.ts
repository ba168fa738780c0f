import { BLOCK_REASONS, CONSENT_ACTIONS, VERDICTS } from '@app/capture';
import { boolean, every, integer, string } from '../openapi/schemas.js';

/** The schemas of what a capture reports about its page. */

export const BLOCKED_REQUESTS = {
  ...every(Object.fromEntries(BLOCK_REASONS.map((reason) => [reason, integer]))),
  description:
    'Number of requests that were blocked: by the filter lists of each kind, by `block_urls` and `block_resource_types` (`rules`), and by the egress guard (`forbidden`). Null for captures of earlier versions.',
};

export const CONSENT_REPORT = {
  ...every({
    manager: {
      type: ['string', 'null'],
      description: 'Consent manager that was recognised.',
      example: 'klaro',
    },
    action: { type: 'string', enum: CONSENT_ACTIONS },
    gone: { ...boolean, description: 'Whether the page shows no consent dialog.' },
  }),
  description: 'What `block_cookie_banners` did; null when it is off.',
};

export const READINESS_REPORT = {
  ...every({
    by: {
      type: 'string',
      enum: ['quiet', 'timeout'],
      description: 'Whether the page was ready, or the time of `ready_timeout_ms` or `timeout_ms` was over.',
    },
    waited_ms: { ...integer, description: 'Wait beyond the load in ms, with that after `js` and clicks.' },
    pending: {
      type: 'array',
      items: every({ host: string, type: string }),
      description:
        'Requests that were still pending, at most 20. A page can be ready with some: polls, and requests that hang.',
    },
    fonts: { type: 'string', enum: ['loaded', 'pending'] },
    images: {
      ...every({ total: integer, pending: integer, broken: integer }),
      description: 'Images of the window.',
    },
  }),
  description:
    'Why the page was captured at its moment; null unless `wait_until` is `auto` and the page has loaded.',
};

export const VERDICT = {
  ...every({
    kind: { type: 'string', enum: VERDICTS },
    evidence: { type: 'array', items: { ...string, example: 'title: Just a moment...' } },
  }),
  description:
    'What the file most likely shows, and at most 10 signs of it: the page itself, nothing that is drawn, a challenge of a bot manager or a CAPTCHA, a log-in instead of the page, or an error page. Null when the capture failed before, or when the page did not respond.',
};

export const STABLE_REPORT = {
  ...every({
    agreed: { ...boolean, description: 'Whether the last two pictures are identical.' },
    frames: { ...integer, description: 'Number of pictures that were taken.' },
    unstable_boxes: {
      type: 'array',
      items: every({ x: integer, y: integer, width: integer, height: integer }),
      description: 'Parts in which the last two pictures differ, in px of the picture.',
    },
  }),
  description: 'Whether the page could be frozen; null when `stable` is off.',
};
