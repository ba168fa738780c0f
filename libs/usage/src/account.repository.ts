import { Injectable } from '@nestjs/common';
import { DataSource, In } from 'typeorm';
import { newId, type BucketLimit } from '@app/kernel';
import { Account } from './account.entity.js';

/** The settings of an account that the operator may change. */
export type AccountSettings = Pick<
  Account,
  'allowance' | 'allowancePeriod' | 'concurrency' | 'rate' | 'burst' | 'webhookUrl'
>;

/** Settings that are left out get the defaults of the schema. */
export type NewAccount = Pick<Account, 'name' | 'allowance' | 'allowancePeriod' | 'concurrency'> &
  Partial<AccountSettings>;

/** An account before and after a change. */
export interface AccountChange {
  readonly before: Account;
  readonly after: Account;
}

@Injectable()
export class AccountRepository {
  constructor(private readonly source: DataSource) {}

  /** Null if the name is taken. */
  async add(account: NewAccount): Promise<Account | null> {
    const id = newId();
    await this.source
      .createQueryBuilder()
      .insert()
      .into(Account)
      .values({ ...account, id })
      .orIgnore()
      .updateEntity(false)
      .execute();
    const stored = await this.findByName(account.name);
    return stored?.id === id ? stored : null;
  }

  findByName(name: string): Promise<Account | null> {
    return this.source.getRepository(Account).findOneBy({ name });
  }

  findById(id: string): Promise<Account | null> {
    return this.source.getRepository(Account).findOneBy({ id });
  }

  change(id: string, settings: Partial<AccountSettings>): Promise<AccountChange> {
    return this.source.transaction(async (transaction) => {
      const accounts = transaction.getRepository(Account);
      const before = await accounts.findOneOrFail({ where: { id }, lock: { mode: 'for_no_key_update' } });
      if (Object.keys(settings).length > 0) await accounts.update({ id }, settings);
      return { before, after: await accounts.findOneByOrFail({ id }) };
    });
  }

  findRate(id: string): Promise<BucketLimit | null> {
    return this.source.getRepository(Account).findOne({ select: { rate: true, burst: true }, where: { id } });
  }

  listByIds(ids: readonly string[]): Promise<Account[]> {
    return this.source.getRepository(Account).findBy({ id: In([...ids]) });
  }

  list(): Promise<Account[]> {
    return this.source.getRepository(Account).find({ order: { createdAt: 'ASC' } });
  }
}
