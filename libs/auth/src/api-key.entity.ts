import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key of an account, without its secret. */
@Entity('api_keys')
export class ApiKey {
  /** The public part of the key. */
  @PrimaryColumn('text')
  id!: string;

  @Column('uuid', { name: 'account_id' })
  accountId!: string;

  /** The operator's name for it. */
  @Column('text')
  name!: string;

  @Column({ type: 'bytea', name: 'secret_sha256' })
  secretSha256!: Buffer;

  /** Whether each link that is signed for the key must state when it expires. */
  @Column({ type: 'boolean', name: 'links_expire', insert: false })
  linksExpire!: boolean;

  /** Whether the tools of `POST /mcp` accept options that run code or carry secrets. */
  @Column({ type: 'boolean', name: 'mcp_unsafe', insert: false })
  mcpUnsafe!: boolean;

  @Column({ type: 'timestamptz', name: 'created_at', precision: 3, insert: false })
  createdAt!: Date;

  @Column({ type: 'timestamptz', name: 'revoked_at', precision: 3, nullable: true })
  revokedAt!: Date | null;
}
