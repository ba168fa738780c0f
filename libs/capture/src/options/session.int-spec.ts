import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Site } from '../../../../test/support/site.js';
import type { Visit } from '../pipeline/family.js';
import { Visits } from './visits.conformance.js';
import { evaluate, evaluateOn } from '../../../../test/support/browser.js';

const WITH_PARTS = '<link rel="stylesheet" href="/own.css"><p>page';
const STRICT: [string, string] = ['content-security-policy', "script-src 'none'"];

const other = new Site({ '/landing': '<p>landing', '/part.js': '', '/basic': challenge });
const site = new Site({
  '/': WITH_PARTS,
  '/own.css': '',
  '/basic': challenge,
  '/mixed': (_, response) => {
    response.setHeader('content-type', 'text/html');
    response.end(`<script src="${other.url('/part.js')}"></script><link rel="stylesheet" href="/own.css">`);
  },
  '/leave': (_, response) => response.writeHead(302, { location: other.url('/landing') }).end(),
  '/detour': (_, response) => response.writeHead(302, { location: '/' }).end(),
  '/strict': (_, response) => {
    response.setHeader(...STRICT);
    response.setHeader('content-type', 'text/html');
    response.end('<p id="p">static</p><script>p.textContent = "scripted"</script>');
  },
});
const visits = new Visits();

/** Asks for a name and a password until it gets ada's. */
function challenge(
  ...[request, response]: Parameters<Exclude<ConstructorParameters<typeof Site>[0][string], string>>
): void {
  const expected = `Basic ${Buffer.from('ada:löve:1').toString('base64')}`;
  const isKnown = request.headers.authorization === expected;
  response.writeHead(isKnown ? 200 : 401, {
    'content-type': 'text/html',
    'www-authenticate': 'Basic realm="r"',
  });
  response.end(isKnown ? 'welcome' : 'who are you');
}

beforeAll(async () => {
  await Promise.all([site.open(), other.open(), visits.open()]);
});

afterAll(async () => {
  await Promise.all([site.close(), other.close(), visits.close()]);
});

const bodyText = ({ page }: Visit) => evaluateOn(page, 'body', (body) => body.innerText);

async function visit(path: string, options: Record<string, unknown>, host?: string): Promise<string> {
  site.forget();
  other.forget();
  return visits.readFrom({ url: site.url(path, host), ...options }, bodyText);
}

describe('session options', () => {
  const headers = { 'X-Preview': 'yes', Authorization: 'Bearer t0ken' };
  const sent = { 'x-preview': 'yes', authorization: 'Bearer t0ken' };

  it('send nothing of their own by default', async () => {
    await visit('/', {});
    expect(site.requestsTo('/')[0]?.headers).not.toHaveProperty('authorization');
    expect(site.requestsTo('/')[0]?.headers).not.toHaveProperty('cookie');
  });

  it('send headers with every request to the own origin', async () => {
    await visit('/', { headers });
    expect(site.requestsTo('/')[0]?.headers).toMatchObject(sent);
    expect(site.requestsTo('/own.css')[0]?.headers).toMatchObject(sent);
  });

  it('replace a header of the browser', async () => {
    await visit('/', { headers: { 'Accept-Language': 'tlh' } });
    expect(site.requestsTo('/')[0]?.headers['accept-language']).toBe('tlh');
  });

  it('send no header to another origin of the same page', async () => {
    await visit('/mixed', { headers });
    expect(other.requestsTo('/part.js')).toHaveLength(1);
    expect(other.requestsTo('/part.js')[0]?.headers).not.toHaveProperty('x-preview');
    expect(other.requestsTo('/part.js')[0]?.headers).not.toHaveProperty('authorization');
    expect(site.requestsTo('/own.css')[0]?.headers).toMatchObject(sent);
  });

  it('send no header past a redirect to another origin', async () => {
    expect(await visit('/leave', { headers })).toBe('landing');
    expect(site.requestsTo('/leave')[0]?.headers).toMatchObject(sent);
    expect(other.requestsTo('/landing')[0]?.headers).not.toHaveProperty('x-preview');
    expect(other.requestsTo('/landing')[0]?.headers).not.toHaveProperty('authorization');
  });

  it('go on sending headers past a redirect within the origin', async () => {
    await visit('/detour', { headers });
    expect(site.requestsTo('/')[0]?.headers).toMatchObject(sent);
  });

  it('set cookies of the host, its path and its scripts', async () => {
    const cookies = [
      { name: 'plain', value: 'a=1' },
      { name: 'hidden', value: 'b', http_only: true, same_site: 'strict' },
      { name: 'elsewhere', value: 'c', path: '/other' },
    ];
    site.forget();
    const seen = await visits.readFrom({ url: site.url('/'), cookies }, ({ page }) =>
      evaluate(page, () => document.cookie),
    );
    expect(seen).toBe('plain=a=1');
    expect(site.requestsTo('/')[0]?.headers.cookie?.split('; ').sort()).toEqual(['hidden=b', 'plain=a=1']);
  });

  it('set cookies of the domain that is named', async () => {
    await visit('/', { cookies: [{ name: 'd', value: '1', domain: '127.0.0.1' }] });
    expect(site.requestsTo('/')[0]?.headers.cookie).toBe('d=1');
    await visit('/', { cookies: [{ name: 'd', value: '1', domain: 'Localhost' }] }, 'localhost');
    expect(site.requestsTo('/')[0]?.headers.cookie).toBe('d=1');
  });

  it('keep cookies from other sites', async () => {
    const cookies = [{ name: 'own', value: '1' }];
    await visit('/leave', { cookies }, 'localhost');
    expect(site.requestsTo('/leave')[0]?.headers.cookie).toBe('own=1');
    expect(other.requestsTo('/landing')[0]?.headers).not.toHaveProperty('cookie');
  });

  it('name the option when the browser does not take a cookie', async () => {
    const cookies = [{ name: '__Secure-x', value: '1' }];
    await expect(visit('/', { cookies })).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('answer basic authentication of the own origin', async () => {
    const login = { basic_auth_username: 'ada', basic_auth_password: 'löve:1' };
    expect(await visit('/basic', login)).toBe('welcome');
    expect(await visit('/basic', { ...login, basic_auth_password: 'wrong' })).toBe('who are you');
    expect(await visit('/basic', {})).toBe('who are you');
  });

  it('do not answer the authentication of another origin', async () => {
    const login = { basic_auth_username: 'ada', basic_auth_password: 'löve:1' };
    await visits.readFrom({ url: site.url('/'), ...login }, async ({ page }) => {
      await page.goto(other.url('/basic'));
      expect(await evaluateOn(page, 'body', (body) => body.innerText)).toBe('who are you');
    });
    expect(other.requestsTo('/basic').every(({ headers }) => headers.authorization === undefined)).toBe(true);
  });

  it('obey the Content-Security-Policy unless bypass_csp is true', async () => {
    expect(await visit('/strict', {})).toBe('static');
    expect(await visit('/strict', { bypass_csp: false })).toBe('static');
    expect(await visit('/strict', { bypass_csp: true })).toBe('scripted');
  });
});
