/** Something the operator has to mend before the process can run. The message is all there is to say; no stack helps. */
export class StartupError extends Error {
  override readonly name: string = 'StartupError';
}
