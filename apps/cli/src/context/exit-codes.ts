import type { CaptureError } from '@capture-service/client';

/** The exit codes of every command; docs/cli.md describes them. */
export const EXIT = {
  ok: 0,
  /** The capture failed, or what was asked for is not there, or its file could not be written. */
  failed: 1,
  /** The command line or a file it names is wrong. */
  usage: 2,
  /** The key, its allowance or the service's rules do not allow it. */
  notAllowed: 3,
  /** The service cannot be reached or is busy: the same command may succeed later. */
  unavailable: 4,
  /** SIGINT, as shells report it: 128 + 2. */
  interrupted: 130,
  /** SIGTERM: 128 + 15. */
  terminated: 143,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** The codes of errors with an exit code other than 1. */
const EXIT_CODES: Readonly<Record<string, ExitCode>> = {
  invalid_request: EXIT.usage,
  invalid_options: EXIT.usage,
  invalid_csv: EXIT.usage,
  method_not_allowed: EXIT.usage,
  payload_too_large: EXIT.usage,
  unsupported_media_type: EXIT.usage,
  link_too_long: EXIT.usage,
  unauthorized: EXIT.notAllowed,
  allowance_exhausted: EXIT.notAllowed,
  target_forbidden: EXIT.notAllowed,
  signature_invalid: EXIT.notAllowed,
  connection_failed: EXIT.unavailable,
  timeout: EXIT.unavailable,
  invalid_response: EXIT.unavailable,
  overloaded: EXIT.unavailable,
  unavailable: EXIT.unavailable,
  dns_unavailable: EXIT.unavailable,
  storage_unavailable: EXIT.unavailable,
  rate_limited: EXIT.unavailable,
  concurrency_exceeded: EXIT.unavailable,
};

/** The exit code for an error of the client or of a record. */
export function exitCodeOf({ code }: Pick<CaptureError, 'code'>): ExitCode {
  return EXIT_CODES[code] ?? EXIT.failed;
}
