import { every, integer, refOrNull } from '@app/kernel';
import { defineFact, deriveColumn } from './fact.js';

/** Number of requests that were blocked, by reason. */
export interface BlockedRequests {
  /** By the filter lists of `block_ads`, `block_trackers`, `block_chats` and `block_annoyances`. */
  ads: number;
  trackers: number;
  chats: number;
  annoyances: number;
  /** By `block_urls` and `block_resource_types`. */
  rules: number;
  /** By the egress guard. */
  forbidden: number;
}

export const BLOCK_REASONS = [
  'ads',
  'trackers',
  'chats',
  'annoyances',
  'rules',
  'forbidden',
] as const satisfies readonly (keyof BlockedRequests)[];

export function nothingBlocked(): BlockedRequests {
  return { ads: 0, trackers: 0, chats: 0, annoyances: 0, rules: 0, forbidden: 0 };
}

export function sumOfBlocked(blocked: BlockedRequests): number {
  return BLOCK_REASONS.reduce((sum, reason) => sum + blocked[reason], 0);
}

const BLOCKED_REQUESTS = {
  ...every(Object.fromEntries(BLOCK_REASONS.map((reason) => [reason, integer]))),
  description:
    'Number of requests that were blocked: by the filter lists of each kind, by `block_urls` and `block_resource_types` (`rules`), and by the egress guard (`forbidden`). Null where the capture reports nothing: before its end, and when it was canceled or its worker was lost.',
};

/** The requests of the page that were dropped or that failed. */
export const REQUEST_FACTS = {
  blockedRequests: deriveColumn({
    from: 'blocked',
    store: sumOfBlocked,
    column: 'integer',
    default: 0,
    isErased: false,
    schema: { ...integer, description: 'Requests that an option or the egress guard blocked.' },
  }),
  /** Requests dropped by an option or by the egress guard. */
  blocked: defineFact({
    empty: nothingBlocked,
    column: 'json',
    isErased: false,
    whenFailed: true,
    schema: refOrNull('BlockedRequests'),
    components: { BlockedRequests: BLOCKED_REQUESTS },
  }),
  failedRequests: defineFact({
    empty: (): number => 0,
    column: 'integer',
    default: 0,
    isErased: false,
    whenFailed: true,
    schema: integer,
  }),
};
