/** What an operator learns of a fault: a recording whose alerts fire while it lasts, or why there is none. */
type Outcome =
  | { readonly recording: keyof typeof RECORDED_ALERTS }
  /** No fault of test/faults causes it: alerts.spec.ts has the condition of the alert. */
  | { readonly condition: string }
  | { readonly none: string };

/** The alerts that must fire while a recorded fault lasts; others may fire, too. */
export const RECORDED_ALERTS = {
  'browser-broken': ['CaptureBrowsersFail', 'CaptureSlotsUnhealthy'],
  'database-down': ['CaptureDatabaseDown', 'CaptureDependencyDown', 'CaptureApiErrors'],
  'endpoint-down': ['CaptureWebhooksFail'],
  'more-captures-than-slots': ['CaptureSlotsSaturated', 'CaptureJobsDelayed'],
  'no-api': ['CaptureApiDown', 'CaptureProcessDown'],
  'no-worker': ['CaptureNoWorkers', 'CaptureOverloaded', 'CaptureProcessDown'],
  poison: ['CaptureWorkersLost', 'CaptureServiceFailures'],
  'queue-down': ['CaptureQueueDown', 'CaptureDependencyDown'],
  'store-down': ['CaptureStoreDown', 'CaptureServiceFailures'],
  'worker-killed': ['CaptureWorkersLost', 'CaptureProcessDown'],
  'worker-stopped': ['CaptureWorkersLost', 'CaptureProcessDown'],
} as const;

const HEALS = 'it is over within seconds, and nobody has to do anything';

/** The faults of test/faults, by the names that they have there, and those that other specs cause. */
export const FAULT_ALERTS: Readonly<Record<string, Outcome>> = {
  F1: { recording: 'worker-killed' },
  F2: { none: `${HEALS}: the capture is tried again; many fire CaptureServiceFailures` },
  F3: { none: `${HEALS}: the capture is tried again; many fire CaptureServiceFailures` },
  F4: { recording: 'browser-broken' },
  F5: { none: 'a shutdown is no fault' },
  'F5, F7': { none: 'a shutdown is no fault' },
  F6: { none: 'a shutdown is no fault; the capture goes to another worker' },
  F7: { none: 'a shutdown is no fault' },
  F8: { none: `${HEALS}: other APIs answer` },
  F9: { none: HEALS },
  F10: { recording: 'queue-down' },
  F11: { none: `${HEALS}: the queue is filled again` },
  F12: { none: HEALS },
  F13: { recording: 'database-down' },
  F14: { recording: 'store-down' },
  F15: { recording: 'store-down' },
  F16: { recording: 'endpoint-down' },
  F17: { none: 'the delivery is repeated' },
  F18: { none: 'the page is at fault, and its capture fails with `capture_timeout`' },
  F19: { condition: 'CaptureDnsDown' },
  F20: { recording: 'worker-stopped' },
  F21: { none: 'it does no harm' },
  F22: { recording: 'poison' },
  F23: { none: 'the page is at fault, and its capture fails with `resource_limit`' },
  F24: { recording: 'more-captures-than-slots' },
  F25: { none: 'nothing fails' },
  F26: { none: 'it does no harm' },
  F27: { recording: 'database-down' },
  F28: { recording: 'queue-down' },
  F29: { recording: 'store-down' },
  F30: { recording: 'database-down' },
  F31: { none: HEALS },
  F32: { recording: 'database-down' },
  F33: { none: `${HEALS}: other browsers are started` },
  F34: { none: 'the capture is tried again; many fire CaptureServiceFailures' },
  F35: { none: `${HEALS}: the connections are opened again` },
  F36: { recording: 'database-down' },
  F37: { none: 'one of the captures renews the session, and the others wait' },
  F38: { none: 'its owner deletes the session' },
  F39: { condition: 'CaptureSecretsUnreadable' },
  F40: { none: `${HEALS}: the files are deleted` },
  F41: { none: `${HEALS}: the files are deleted` },
  F50: { recording: 'queue-down' },
  F51: { recording: 'database-down' },
  F52: { none: 'the capture is made again' },
  F53: { recording: 'store-down' },
  F54: { none: 'nothing fails: the accounts take turns' },
  F55: { none: 'an operator wants it; other workers take the captures' },
  F60: { none: `${HEALS}: other workers check the monitors` },
  F61: { recording: 'database-down' },
  F62: { none: 'the clock of the database decides' },
  'one unit of': { none: 'nothing fails' },
  '200 at random': { none: `${HEALS}: other processes go on` },
  'kill -9 of the API': { none: `${HEALS}: other APIs answer` },
  slots: { none: 'the slots are free once the leases have expired' },
  'every API': { recording: 'no-api' },
  'every worker': { recording: 'no-worker' },
};
