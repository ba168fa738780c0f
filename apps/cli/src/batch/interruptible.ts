/** Does the work, and passes an interruption of the command on to what the work listens to. */
export async function runInterruptible(
  interrupt: AbortSignal,
  controller: AbortController,
  work: () => Promise<void>,
): Promise<void> {
  const onInterrupt = (): void => {
    controller.abort(interrupt.reason);
  };
  interrupt.addEventListener('abort', onInterrupt);
  try {
    await work();
  } finally {
    interrupt.removeEventListener('abort', onInterrupt);
  }
}
