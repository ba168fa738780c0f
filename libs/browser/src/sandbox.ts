import { StartupError } from '@app/kernel';
import path from 'node:path';

/**
 * Chromium refuses its sandbox to root. Inside a user namespace in which it is nobody it builds the sandbox as for any
 * user; outside it stays root's, so files and the kill of its group work as before.
 */
const AS_NOBODY = ['--user', '--map-user=65534', '--map-group=65534', '--'];

/** Chromium starts here only without its sandbox. */
export class SandboxUnavailableError extends StartupError {
  override readonly name = 'SandboxUnavailableError';

  constructor(cause: unknown) {
    super(
      'Chromium cannot have its sandbox here: this system gives no user namespaces to this process ' +
        '(a container’s seccomp profile, AppArmor or kernel.unprivileged_userns_clone may forbid them, or `unshare` ' +
        'is missing while the worker runs as root). Allow them, or set CHROMIUM_SANDBOX=off where another wall stands ' +
        'around the worker.',
      { cause },
    );
  }
}

export interface Program {
  readonly file: string;
  readonly args: readonly string[];
}

/** The program that starts `browser`, inside a user namespace where that is what the sandbox takes. */
export function sandboxable(browser: string, sandbox: boolean): Program {
  const file = path.resolve(browser);
  const isRoot = process.platform === 'linux' && process.getuid?.() === 0;
  return sandbox && isRoot ? { file: 'unshare', args: [...AS_NOBODY, file] } : { file, args: [] };
}
