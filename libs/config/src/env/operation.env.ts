import { Choice, Whole } from '@app/kernel';

/** What a process writes to its log, and how it ends. */
export class OperationEnv {
  @Choice(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'], 'Minimum log level.')
  LOG_LEVEL = 'info';

  @Choice(['json', 'pretty'], 'Format of the log lines.')
  LOG_FORMAT = 'json';

  @Whole(
    'Time in ms for which the API still accepts requests after SIGTERM while its readiness probe fails, so that a load ' +
      'balancer can notice.',
    { min: 0, max: 120_000 },
  )
  SHUTDOWN_DELAY_MS = 5_000;

  @Whole('Time in ms after SIGTERM within which requests and captures in progress can finish.', {
    min: 0,
    max: 600_000,
  })
  SHUTDOWN_GRACE_MS = 45_000;
}
