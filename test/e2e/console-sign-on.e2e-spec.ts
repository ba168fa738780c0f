import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApps, type Apps } from '../support/apps.js';
import { ConsoleBrowser } from '../support/console-browser.js';
import { IdentityProvider } from '../support/identity-provider.js';

describe('single sign-on in a browser', () => {
  let apps: Apps;
  let browser: ConsoleBrowser;
  let provider: IdentityProvider;

  beforeAll(async () => {
    provider = await IdentityProvider.start();
    apps = await startApps(provider.env('designers:default:capture+read'));
    provider.register(apps.url);
    browser = await ConsoleBrowser.launch(apps);
  });

  afterAll(async () => {
    await browser.close();
    await apps.stop();
    await provider.close();
  });

  it('logs in, leads back to the page, and logs out here and at the provider', async () => {
    provider.visitor = { name: 'alice', groups: ['designers'] };
    const visit = await browser.visit({ key: null });
    await visit.open('/usage');
    await visit.sees('Log in with single sign-on');
    expect(await visit.barriers()).toEqual([]);
    await visit.click('Log in with single sign-on');
    await visit.page.waitForSelector('nav');
    expect(visit.page.url()).toBe(`${apps.url}/console/usage`);
    await visit.page.click('[aria-label="Account default, key alice"]');
    await visit.click('Log out');
    await visit.click('Log out at the provider');
    await visit.sees('Log in with single sign-on');
    expect(visit.page.url()).toBe(`${apps.url}/console`);
    expect(visit.complaints.filter((text) => !text.startsWith(`requests ${provider.issuer}/`))).toEqual([]);
    await visit.close();
  });

  it('shows a person without a group why there is nothing to see', async () => {
    provider.visitor = { name: 'bob', groups: ['others'] };
    const visit = await browser.visit({ key: null });
    await visit.click('Log in with single sign-on');
    await visit.sees('none of your groups may use this service');
    expect(await visit.barriers()).toEqual([]);
    await visit.click('Back to the log-in page');
    await visit.sees('Log in with single sign-on');
    await visit.close();
  });
});
