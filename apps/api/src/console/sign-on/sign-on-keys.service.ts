import { Injectable, Logger } from '@nestjs/common';
import type { Actor } from '@app/audit';
import { grantsOf, PersonKeysService, type AccountGrant } from '@app/auth';
import { DatabaseService } from '@app/database';
import { AccountsService } from '@app/usage';
import type { Request } from 'express';
import type { Identity } from './oidc-client.js';
import { SignOnRefusal } from './sign-on-refusal.js';
import { SignOnSettings } from './sign-on-settings.js';

/** Decides by the groups of a person which accounts the person sees, and as which keys. */
@Injectable()
export class SignOnKeysService {
  private readonly logger = new Logger(SignOnKeysService.name);

  constructor(
    private readonly settings: SignOnSettings,
    private readonly accounts: AccountsService,
    private readonly keys: PersonKeysService,
    private readonly database: DatabaseService,
  ) {}

  /**
   * The ids of the keys of a person. Keys of groups that the person has left are revoked, even when none is left.
   *
   * @throws SignOnRefusal when no group of the person gives an account
   */
  async admit({ id, name, groups }: Identity, request: Request): Promise<string[]> {
    const grants = await this.grantsFor(groups);
    const by = actorOf(name, request);
    const ids = await this.database.transaction(async (transaction) => {
      for (const { accountId } of grants) await this.accounts.lockUndeleted(transaction, accountId);
      return this.keys.settle(transaction, { person: { id, name }, by }, grants);
    });
    if (ids.length > 0) return ids;
    throw new SignOnRefusal(
      403,
      `You are logged in at the identity provider as ${name}, but none of your groups may use this service. Ask the operator.`,
    );
  }

  /** In the order in which their accounts are locked. */
  private async grantsFor(groups: readonly string[]): Promise<AccountGrant[]> {
    const grants: AccountGrant[] = [];
    for (const [name, scopes] of grantsOf(this.settings.groups, groups)) {
      const account = await this.accounts.findByName(name);
      if (account?.deletingAt === null) grants.push({ accountId: account.id, scopes });
      else this.logger.error(`OIDC_GROUPS names the account ${name}, which does not exist`);
    }
    return grants.sort((one, other) => (one.accountId < other.accountId ? -1 : 1));
  }
}

function actorOf(name: string, { ip, id }: Request): Actor {
  const nobody = { key_id: null, account_id: null };
  return { kind: 'sign_on', ...nobody, key_name: name, address: ip ?? null, request_id: id as string };
}
