import { StartupError } from '@app/kernel';

/** Chromium starts here only without its sandbox. */
export class SandboxUnavailableError extends StartupError {
  override readonly name = 'SandboxUnavailableError';

  constructor(cause: unknown) {
    super(
      'Chromium cannot have its sandbox here: this system gives no user namespaces to this process ' +
        '(a container’s seccomp profile, AppArmor or kernel.unprivileged_userns_clone may forbid them, or `setpriv` and ' +
        '`unshare` are missing while the worker runs as root). Allow them, or set CHROMIUM_SANDBOX=off where another ' +
        'wall stands around the worker.',
      { cause },
    );
  }
}
