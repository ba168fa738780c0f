import { CaptureOptions } from '@app/capture';
import { MAX_ROWS, ON_INVALID, type OnInvalid } from '@app/bulk';
import { Choice, Flag, Items, isId, Part, Text } from '@app/kernel';

/** Query of both routes that accept a batch. */
export class DryRunQuery {
  @Flag('Only report what would be accepted: nothing is stored, not even the Idempotency-Key.')
  dry_run = false;
}

/** Fields of every batch, whatever the format of its rows. */
export class BatchFields {
  @Part(CaptureOptions, 'Options of every row that does not set them itself.')
  defaults?: Readonly<Record<string, unknown>>;

  @Choice(ON_INVALID, 'What to do about invalid rows: refuse the batch, or capture only the other rows.')
  on_invalid: OnInvalid = 'reject';
}

/** The rows of a JSON batch: exactly one of these fields is set. */
export class ItemsFields {
  @Items(CaptureOptions, 'The rows: the options of each capture.', { maxItems: MAX_ROWS })
  items?: readonly unknown[];

  @Text(
    'Instead of items: the id of a finished batch whose failed rows are captured again, as a new batch.',
    {
      max: 36,
      check: (id: string) => (isId(id) ? undefined : 'must be the id of a batch'),
    },
  )
  retry_failed_of?: string;
}
