import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An Idempotency-Key of an account and the request that was accepted under it. */
@Entity('idempotency_keys')
export class IdempotencyKey {
  @PrimaryColumn('uuid', { name: 'account_id' })
  accountId!: string;

  @PrimaryColumn('text')
  key!: string;

  /** The fingerprint of the request; a request with another one is refused under this key. */
  @Column('bytea')
  fingerprint!: Buffer;

  /** The job or batch that was accepted. */
  @Column('uuid', { name: 'subject_id' })
  subjectId!: string;

  /** The first answer, if it is JSON that cannot be made from the rows again. */
  @Column('json', { nullable: true })
  answer!: object | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, insert: false })
  createdAt!: Date;
}
