/** PostgreSQL's channel by which senders hear that there may be something to send. It says no more than that. */
export const WEBHOOK_WAITING = 'webhook_waiting';

/** Whether a row of webhook_stops is about this endpoint; the hash is what its index has. */
export function isEndpoint(accountId: string, url: string): string {
  return `webhook_stops.account_id = ${accountId} AND webhook_stops.url = ${url}
    AND hashtextextended(webhook_stops.url, 0) = hashtextextended(${url}, 0)`;
}
