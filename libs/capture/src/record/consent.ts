import { boolean, every, refOrNull } from '@app/kernel';
import { defineFact } from './fact.js';

export const CONSENT_ACTIONS = ['rejected', 'accepted', 'hidden', 'none'] as const;

/** What `block_cookie_banners` did on the page. */
export interface ConsentReport {
  /** Name of the consent manager that was recognised; null when there was none. */
  readonly manager: string | null;
  readonly action: (typeof CONSENT_ACTIONS)[number];
  /** Whether the page shows no consent dialog. */
  readonly gone: boolean;
}

const CONSENT_REPORT = {
  ...every({
    manager: {
      type: ['string', 'null'],
      description: 'Consent manager that was recognised.',
      example: 'klaro',
    },
    action: { type: 'string', enum: CONSENT_ACTIONS },
    gone: {
      ...boolean,
      description: 'Whether no consent dialog was seen on the page when the file was finished.',
    },
  }),
  description: 'What `block_cookie_banners` did; null when it is off.',
};

export const CONSENT_FACTS = {
  /** Null when `block_cookie_banners` is off. */
  consent: defineFact({
    empty: (): ConsentReport | null => null,
    column: 'json',
    isErased: false,
    whenFailed: true,
    schema: refOrNull('ConsentReport'),
    components: { ConsentReport: CONSENT_REPORT },
  }),
};
