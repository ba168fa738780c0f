import type { Session, LogIn, SessionCheck } from './session.entity.js';

/** A log-in may take this long: pages that people log in to are slow, and some ask for a code. */
const LOG_IN_TIMEOUT_MS = 60_000;

/** The options of the capture that logs in: its steps, then those that show whether the session works. */
export function logInOptions(
  logIn: LogIn,
  check: SessionCheck | null,
  secrets: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const { url, actions, recording, allowed_hosts } = logIn;
  return {
    url,
    ...(allowed_hosts && { allowed_hosts }),
    ...(recording
      ? { recording: { ...recording, steps: [...(recording.steps ?? []), ...recordedCheck(check)] } }
      : { actions: [...actions, ...(check ? checkSteps(check) : [])] }),
    ...(Object.keys(secrets).length > 0 && { secrets }),
    on_failure_picture: true,
    timeout_ms: LOG_IN_TIMEOUT_MS,
  };
}

function checkSteps({ url, selector }: SessionCheck): object[] {
  return [
    { type: 'navigate', url },
    { type: 'wait', selector },
  ];
}

/** As the steps of a recording are written. */
function recordedCheck(check: SessionCheck | null): object[] {
  if (!check) return [];
  return [
    { type: 'navigate', url: check.url },
    { type: 'waitForElement', selectors: [[check.selector]] },
  ];
}

/**
 * Where a fault of the capture that logs in stands in the request for the session.
 *
 * @param check the pointer for a step that the check has added
 */
export function logInPointer(pointer: string, logIn: LogIn | null, check: string): string {
  const index = Number(/^\/(?:actions|recording\/steps)\/(\d+)/.exec(pointer)?.[1] ?? 0);
  const own = logIn?.recording ? (logIn.recording.steps ?? []) : (logIn?.actions ?? []);
  return index < own.length ? `/login${pointer}` : check;
}

/** The options of the visit that checks a session. */
export function checkOptions(
  { check, logIn }: Pick<Session, 'check' | 'logIn'>,
  timeoutMs: number,
): Record<string, unknown> | null {
  if (!check) return null;
  const { url, selector } = check;
  const { allowed_hosts } = logIn ?? check;
  return {
    url,
    ...(allowed_hosts && { allowed_hosts }),
    actions: [{ type: 'wait', selector }],
    timeout_ms: timeoutMs,
  };
}
