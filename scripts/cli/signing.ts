import { parseKey, type SigningKey, type SigningSecretsService } from '@app/auth';
import type { Account, AccountsService } from '@app/usage';
import { UsageError, type Output } from './command.js';

/** The options of `npm run keys -- signing`, for parseArgs. */
export const SIGNING_OPTIONS = {
  rotate: { type: 'boolean' },
  retire: { type: 'boolean' },
  'allow-no-expiry': { type: 'boolean' },
  'require-expiry': { type: 'boolean' },
} as const;
type SigningOption = keyof typeof SIGNING_OPTIONS;
export const SIGNING_NAMES = Object.keys(SIGNING_OPTIONS) as SigningOption[];

interface Services {
  readonly signing: () => SigningSecretsService;
  readonly accounts: Pick<AccountsService, 'list'>;
}

/** Shows the signing secrets of a key, after it has changed what the options say. */
export async function signing(
  services: Services,
  options: Partial<Record<SigningOption, boolean>>,
  [word]: string[],
): Promise<Output> {
  if (word === undefined) throw new UsageError('Give the id of the key: npm run keys -- signing <key id>');
  if (options['allow-no-expiry'] && options['require-expiry']) {
    throw new UsageError('Give --allow-no-expiry or --require-expiry, not both');
  }
  const secrets = services.signing();
  // The whole key is accepted, too.
  const id = parseKey(word)?.id ?? word;
  if (!(await secrets.ensure(id))) {
    throw new UsageError(`There is no valid key ${id.slice(0, 24)}; npm run keys -- list shows all keys`);
  }
  await changeSecrets(secrets, id, options);
  const linksExpire = options['require-expiry'] ?? (options['allow-no-expiry'] ? false : undefined);
  if (linksExpire !== undefined) await secrets.setLinksExpire(id, linksExpire);
  const key = await secrets.find(id);
  if (!key) throw new UsageError(`The key ${id} has been revoked meanwhile`);
  const account = (await services.accounts.list()).find((each) => each.id === key.accountId);
  return { text: textOf(key, account), json: jsonOf(key, account) };
}

/** Both options together leave only the new secret, as after a leak. */
async function changeSecrets(
  secrets: SigningSecretsService,
  id: string,
  { rotate = false, retire = false }: Partial<Record<SigningOption, boolean>>,
): Promise<void> {
  const hadPrevious = retire && (await secrets.retire(id));
  if (!rotate && retire && !hadPrevious) {
    throw new UsageError('There is no previous secret to retire: --rotate creates a new one');
  }
  if (rotate && !(await secrets.rotate(id))) {
    throw new UsageError(
      'Two secrets are valid already. Retire the previous one first, with --retire: links that it signed stop working',
    );
  }
  if (rotate && retire) await secrets.retire(id);
}

function textOf({ keyId, current, previous, linksExpire }: SigningKey, account?: Account): string {
  const lines = [
    current.secret,
    '',
    `This secret signs links of the key ${keyId} of account "${account?.name ?? ''}", since ${dayOf(current.createdAt)}.`,
    'All processes know a change within 5 seconds. docs/links.md shows how to sign.',
    ...(previous
      ? [
          '',
          'Links of the previous secret are still valid:',
          `  ${previous.secret}  since ${dayOf(previous.createdAt)}`,
          'When no page shows them any more, end it with',
          `  npm run keys -- signing ${keyId} --retire`,
        ]
      : []),
    '',
    linksExpire
      ? 'Each link must state when it expires. --allow-no-expiry allows links that do not.'
      : 'Links need not expire. --require-expiry refuses links that do not state when they do.',
  ];
  return `${lines.join('\n')}\n`;
}

function jsonOf({ keyId, accountId, current, previous, linksExpire }: SigningKey, account?: Account) {
  return {
    id: keyId,
    account: account?.name ?? null,
    account_id: accountId,
    secret: current.secret,
    created_at: current.createdAt.toISOString(),
    previous: previous && { secret: previous.secret, created_at: previous.createdAt.toISOString() },
    links_expire: linksExpire,
  };
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}
