/** The browser cannot be used any more; the message says why. */
export class BrowserLostError extends Error {
  override readonly name = 'BrowserLostError';

  /** `level` is the level of the log line: a page that takes too long is not worth a warning. */
  constructor(
    message: string,
    readonly level: 'log' | 'warn' = 'warn',
  ) {
    super(message);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Throws the reason of a signal that is the loss of the browser. */
export function throwLoss({ reason }: AbortSignal): void {
  if (reason instanceof BrowserLostError) throw reason;
}
