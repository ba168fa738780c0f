/** Thrown inside a transaction of a step whose lease another process has meanwhile: nothing of the step is stored. */
export class LeaseLostError extends Error {
  override readonly name = 'LeaseLostError';
}
