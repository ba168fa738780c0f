import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { newId } from '@app/kernel';
import { Account } from './account.entity.js';

export type NewAccount = Pick<Account, 'name' | 'allowance' | 'allowancePeriod' | 'concurrency'>;

@Injectable()
export class AccountRepository {
  constructor(private readonly source: DataSource) {}

  /** Null when the name is taken. */
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

  list(): Promise<Account[]> {
    return this.source.getRepository(Account).find({ order: { createdAt: 'ASC' } });
  }
}
