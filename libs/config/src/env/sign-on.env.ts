import { Text, Whole } from '@app/kernel';

const LOOPBACK = /^http:\/\/(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?(\/|$)/;

/** Single sign-on of the console by OpenID Connect (docs/operators.md). */
export class SignOnEnv {
  @Text(
    'Issuer of an OpenID Connect provider, by which people log in to the console. Unset: they log in with keys only.',
    {
      max: 1_000,
      check: (url: string) =>
        (URL.canParse(url) && new URL(url).protocol === 'https:') || LOOPBACK.test(url)
          ? undefined
          : 'must be an https URL such as https://login.example.com/realms/staff',
      example: 'https://login.example.com/realms/staff',
    },
  )
  OIDC_ISSUER?: string;

  @Text('ID of the service as a client of the provider.', { max: 500, example: 'capture-service' })
  OIDC_CLIENT_ID?: string;

  @Text('Secret of that client. Unset: the client is a public one, which PKCE protects.', {
    max: 1_000,
    secret: true,
  })
  OIDC_CLIENT_SECRET?: string;

  @Text(
    'Comma-separated groups of the provider with the account and the scopes that they give, as `group:account:scopes`, ' +
      'such as `capture-admins:default:admin+capture+read+links,designers:design:capture+read`. `,`, `:` and `%` in names are percent-encoded.',
    { min: 0, max: 20_000 },
  )
  OIDC_GROUPS = '';

  @Text('Claim of the ID token or of the userinfo response that lists the groups of a person.', { max: 200 })
  OIDC_GROUPS_CLAIM = 'groups';

  @Text('Scopes that are asked of the provider, with spaces between them. Some need one more for groups.', {
    max: 1_000,
    pattern: /^(.* )?openid( .*)?$/,
    message: 'must contain openid',
  })
  OIDC_SCOPES = 'openid profile email';

  @Whole('Seconds after which a person who logged in by the provider must log in again.', {
    min: 300,
    max: 1_209_600,
  })
  OIDC_SESSION_S = 28_800;
}
