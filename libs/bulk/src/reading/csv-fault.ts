import { AppError, type Fault } from '@app/kernel';

/** The error of a CSV that cannot be read as a whole. */
export function invalidCsv(detail: string, errors?: readonly Fault[]): AppError {
  return new AppError('invalid_csv', { detail, errors });
}
