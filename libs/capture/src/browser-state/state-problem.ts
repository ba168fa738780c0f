import { AppError } from '@app/kernel';

/** The storage of a session could not be read or filled. Neither is the cause told: it may quote what is stored. */
export function notMoved(): AppError {
  return new AppError('script_failed', { detail: 'The storage of the session could not be moved.' });
}
