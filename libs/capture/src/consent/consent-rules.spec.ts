import { beforeAll, describe, expect, it } from '@jest/globals';
import { createRequire } from 'node:module';
import { CONSENTING_SNIPPETS, ConsentRules, managerName, mayConsent } from './consent-rules.js';

interface Step {
  readonly eval?: string;
}
interface Rule {
  readonly name: string;
  readonly optIn?: readonly Step[];
}
const { autoconsent } = createRequire(import.meta.url)('@duckduckgo/autoconsent/rules/rules.json') as {
  readonly autoconsent: readonly Rule[];
};

/** The names of the snippets in any value. */
function snippetsIn(value: unknown): string[] {
  return [...JSON.stringify(value ?? null).matchAll(/"eval":"(\w+)"/g)].map(([, name = '']) => name);
}

let rules: ConsentRules;
beforeAll(async () => {
  rules = await ConsentRules.load();
});

describe(ConsentRules.name, () => {
  it('knows every snippet that a rule evaluates', () => {
    const unknown = snippetsIn(autoconsent).filter((name) => rules.snippet(name, 'accept') === undefined);
    expect(unknown).toEqual([]);
  });

  it('refuses to reject by a snippet that only the way in uses', () => {
    const elsewhere = new Set(snippetsIn(autoconsent.map((rule) => ({ ...rule, optIn: [], test: [] }))));
    const consenting = snippetsIn(autoconsent.map(({ optIn }) => optIn)).filter(
      (name) => !elsewhere.has(name),
    );
    // It reads whether all is accepted.
    const dangerous = consenting.filter((name) => name !== 'EVAL_USERCENTRICS_API_5');
    expect(dangerous).not.toEqual([]);
    expect(dangerous.filter((name) => rules.snippet(name, 'reject') !== undefined)).toEqual([]);
    expect([...CONSENTING_SNIPPETS].filter((name) => rules.snippet(name, 'accept') === undefined)).toEqual(
      [],
    );
  });

  it.each(['constructor', '__proto__', 'toString', 'alert(1)', ''])('has no snippet named %j', (name) => {
    expect(rules.snippet(name, 'accept')).toBeUndefined();
  });

  it('adds the rules of a site on its pages only', () => {
    const on = (url: string): boolean =>
      rules.driverSource('reject', url).includes('consent-banner-manage-preferences');
    expect(on('https://www.twitch.tv/')).toBe(true);
    expect(on('https://example.com/')).toBe(false);
  });

  it('leaves out the way that is not asked for', () => {
    const [reject, accept] = (['reject', 'accept'] as const).map((choice) =>
      rules.driverSource(choice, 'https://a.test/'),
    );
    expect(reject).toContain('#didomi-notice-disagree-button');
    expect(reject).not.toContain('#ccConsentAcceptAllButton');
    expect(accept).toContain('#ccConsentAcceptAllButton');
    expect(accept).not.toContain('#ccAcceptOnlyFunctional');
  });
});

describe(mayConsent.name, () => {
  it.each(autoconsent.filter(({ name }) => ['cookieinfo', 'theinfatuation', 'ibanez'].includes(name)))(
    'distrusts $name, which clicks the same element on both ways',
    (rule) => {
      expect(mayConsent(rule)).toBe(true);
    },
  );

  it.each(
    autoconsent.filter(({ name }) =>
      ['cookieconsent3', 'didomi', 'Complianz optin', 'gov.uk', 'openai'].includes(name),
    ),
  )('trusts $name', (rule) => {
    expect(mayConsent(rule)).toBe(false);
  });

  it('looks into branches', () => {
    const click = [{ click: '.ok, .yes' }];
    expect(
      mayConsent({ name: 'a', optIn: click, optOut: [{ then: [{ any: [{ waitForThenClick: '.yes' }] }] }] }),
    ).toBe(true);
    expect(mayConsent({ name: 'a', optIn: click, optOut: [{ click: ['.host', '.yes'] }] })).toBe(false);
  });
});

describe(managerName.name, () => {
  it.each([
    ['Klaro', 'klaro'],
    ['cookieconsent3', 'vanilla-cookieconsent'],
    ['Cybotcookiebot', 'cookiebot'],
    ['Complianz optin', 'cookieconsent'],
    ['Complianz banner', 'complianz banner'],
    ['TrustArc-top', 'trustarc'],
    ['Sourcepoint-frame', 'sourcepoint'],
    ['usercentrics-api', 'usercentrics'],
    ['auto_CH_arttv.ch_2lm', null],
  ])('of %s is %s', (rule, name) => {
    expect(managerName(rule)).toBe(name);
  });
});
