import { Flag } from '@app/kernel';

/** Query of `DELETE /v1/captures/{id}`. */
export class DeleteQuery {
  @Flag('Delete the record, too: the id is unknown from then on.')
  record = false;
}
