import { SCOPES, type Scope } from './scopes.js';

/** What the members of a group of the identity provider may do in the console. */
export interface GroupGrant {
  readonly group: string;
  /** Name of the account. */
  readonly account: string;
  readonly scopes: readonly Scope[];
}

const FORM = 'must be a list of group:account:scopes, such as designers:design:capture+read';

/**
 * Reads `group:account:scopes,…` (OIDC_GROUPS), in which names are percent-encoded where they contain a separator.
 *
 * @throws Error that says what is wrong with the first entry at fault
 */
export function parseGroupGrants(text: string): readonly GroupGrant[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '')
    .map(parseEntry);
}

function parseEntry(entry: string): GroupGrant {
  const [group = '', account = '', scopes = '', ...more] = entry.split(':');
  if (group === '' || account === '' || more.length > 0) throw new Error(FORM);
  return { group: decoded(group), account: decoded(account), scopes: scopes.split('+').map(toScope) };
}

function toScope(text: string): Scope {
  const scope = SCOPES.find((each) => each === text);
  if (scope !== undefined) return scope;
  throw new Error(`${FORM}; a scope is one of ${SCOPES.join(', ')}`);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new Error(`${FORM}; % begins an encoded character`, { cause });
  }
}

/** What these groups give together: for each account, by its name, the scopes of all of them. */
export function grantsOf(
  grants: readonly GroupGrant[],
  groups: readonly string[],
): ReadonlyMap<string, readonly Scope[]> {
  const given = new Map<string, Scope[]>();
  for (const { group, account, scopes } of grants) {
    if (!groups.includes(group)) continue;
    const all = new Set([...(given.get(account) ?? []), ...scopes]);
    given.set(
      account,
      SCOPES.filter((scope) => all.has(scope)),
    );
  }
  return given;
}
