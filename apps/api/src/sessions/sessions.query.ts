import { decodeCursor, Text, Whole } from '@app/kernel';

/** Query of `GET /v1/sessions`. */
export class SessionsQuery {
  @Whole('Number of items in a page.', { min: 1, max: 100 })
  limit = 20;

  @Text('`next_cursor` of the previous page.', {
    max: 100,
    check: (text: string) => (decodeCursor(text) ? undefined : 'must be the next_cursor of a page'),
  })
  cursor?: string;
}
