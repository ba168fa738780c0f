import { ApiProperty, IntersectionType } from '@nestjs/swagger';
import type { Account } from '@app/usage';
import { ID, nullable } from '../openapi/schemas.js';
import { UsageDays } from '../usage/days.response.js';

class OfAccount {
  @ApiProperty(ID)
  account_id!: string;

  @ApiProperty({ type: 'string', description: 'The name of the account.', example: 'acme' })
  account!: string;
}

/** The usage of one account, as `GET /v1/usage/days` shows it to the account. */
export class AccountUsage extends IntersectionType(OfAccount, UsageDays) {}

export class AccountUsageList {
  @ApiProperty({ type: [AccountUsage] })
  items!: AccountUsage[];

  @ApiProperty(nullable('string', { description: 'Cursor of the next page; null on the last one.' }))
  next_cursor!: string | null;
}

export function toAccountUsage({ id, name }: Account, days: UsageDays): AccountUsage {
  return { account_id: id, account: name, ...days };
}
