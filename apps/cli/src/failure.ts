import { CaptureError } from '@capture-service/client';
import { CommanderError } from 'commander';
import { CliError } from './context/cli-error.js';
import { EXIT, exitCodeOf, type ExitCode } from './context/exit-codes.js';
import { Interrupted } from './context/interrupted.js';
import { flagOfPointer } from './options/flag-names.js';
import { namedAsFlags } from './options/option-help.js';
import { plain } from './terminal/output.js';

/** Why a command failed, and how it ends. */
export interface Failure {
  readonly exitCode: ExitCode;
  /** One line each; empty when everything has been said. */
  readonly lines: readonly string[];
  /** For `--json`. */
  readonly problem: Readonly<Record<string, unknown>>;
}

/** Explains any error that a command threw. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Interrupted) return simple(error.exitCode, 'interrupted', error.message);
  if (error instanceof CliError) {
    const failure = simple(error.exitCode, error.code, error.message);
    return { ...failure, problem: { ...failure.problem, ...error.facts } };
  }
  if (error instanceof CommanderError) return usageFailure(error);
  if (error instanceof CaptureError) return captureFailure(error);
  // The client refuses a key or a URL that cannot be sent.
  if (error instanceof TypeError) return simple(EXIT.usage, 'usage', error.message);
  const { message = String(error), code } = error as NodeJS.ErrnoException;
  return simple(EXIT.failed, code ?? 'unexpected', message);
}

function simple(exitCode: ExitCode, code: string, message: string): Failure {
  return { exitCode, lines: [message], problem: { code, detail: message, retryable: false } };
}

/** Help and versions end a command as errors do, but are none. */
function usageFailure({ exitCode, code, message }: CommanderError): Failure {
  if (exitCode === 0) return { exitCode: EXIT.ok, lines: [], problem: {} };
  // Its help has been printed, because a command of several was named alone.
  if (code === 'commander.help') return { ...simple(EXIT.usage, 'usage', 'Which command?'), lines: [] };
  return simple(EXIT.usage, 'usage', message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' '));
}

function captureFailure(error: CaptureError): Failure {
  const { code, detail, retryable, status, requestId, captureId, errors } = error;
  return {
    exitCode: exitCodeOf(error),
    lines: errors.length > 0 ? errors.map(faultText) : [plain(textOf(error))],
    problem: {
      ...error.problem,
      code,
      detail,
      retryable,
      ...(status !== undefined && { status }),
      ...(requestId !== undefined && { request_id: requestId }),
      ...(captureId !== undefined && { capture_id: captureId }),
    },
  };
}

type FieldError = CaptureError['errors'][number];

/** A fault of the service names the field of the API: the line names the flag. */
function faultText({ pointer, detail, row, column }: FieldError): string {
  const place =
    row === undefined ? flagOfPointer(pointer) : `Row ${row}${column ? `, column ${column}` : ''}:`;
  return plain(`${place} ${row === undefined ? namedAsFlags(detail) : detail}`);
}

/** A text of the service is for programs that write HTTP; these are for the command line. */
const OWN_TEXTS: Readonly<Record<string, string>> = {
  unauthorized:
    'The service refuses the API key: it is malformed, unknown or revoked. `capture login` stores another one.',
};

const ADVICE: Readonly<Record<string, string>> = {
  invalid_response: ' The URL is set by --server, CAPTURE_URL or `capture login`.',
};

function textOf({ code, detail, captureId }: CaptureError): string {
  const id = captureId === undefined ? '' : ` (capture ${captureId})`;
  return `${OWN_TEXTS[code] ?? detail}${id}${ADVICE[code] ?? ''}`;
}
