import { parseGroupGrants, type GroupGrant } from '@app/auth';
import { InvalidEnvironmentError, type Env } from '@app/config';

/** How people log in to the console by an OpenID Connect provider; each value is described at its variable. */
export class SignOnSettings {
  readonly issuer: URL;
  readonly clientId: string;
  readonly clientSecret: string | undefined;
  readonly scope: string;
  readonly groupsClaim: string;
  readonly groups: readonly GroupGrant[];
  readonly sessionS: number;

  /** @throws InvalidEnvironmentError when a variable is missing, or OIDC_GROUPS cannot be read */
  constructor(env: Env) {
    this.issuer = new URL(required('OIDC_ISSUER', env.OIDC_ISSUER));
    this.clientId = required('OIDC_CLIENT_ID', env.OIDC_CLIENT_ID);
    this.clientSecret = env.OIDC_CLIENT_SECRET;
    this.scope = env.OIDC_SCOPES;
    this.groupsClaim = env.OIDC_GROUPS_CLAIM;
    this.groups = readGroups(required('OIDC_GROUPS', env.OIDC_GROUPS.trim()));
    this.sessionS = env.OIDC_SESSION_S;
  }
}

function required(name: string, value: string | undefined): string {
  if (value) return value;
  throw invalid(`${name} is missing: OIDC_ISSUER needs it`);
}

function readGroups(text: string): readonly GroupGrant[] {
  try {
    return parseGroupGrants(text);
  } catch (error) {
    throw invalid(`OIDC_GROUPS ${(error as Error).message}`);
  }
}

function invalid(line: string): InvalidEnvironmentError {
  return new InvalidEnvironmentError(`The environment is not valid:\n  ${line}`);
}
