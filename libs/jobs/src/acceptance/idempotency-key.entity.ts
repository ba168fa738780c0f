import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Which request of an account was accepted under which Idempotency-Key. */
@Entity('idempotency_keys')
export class IdempotencyKey {
  @PrimaryColumn('uuid', { name: 'account_id' })
  accountId!: string;

  @PrimaryColumn('text')
  key!: string;

  /** Of the request; another request under the same key is refused. */
  @Column('bytea')
  fingerprint!: Buffer;

  /** The job or batch that was accepted. */
  @Column('uuid', { name: 'subject_id' })
  subjectId!: string;

  /** The first answer, when it is JSON that the rows no longer tell. */
  @Column('json', { nullable: true })
  answer!: object | null;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, insert: false })
  createdAt!: Date;
}
