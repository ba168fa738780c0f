import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CaptureClient, VERSION } from '@capture-service/client';
import { startApps, type Apps } from '../support/apps.js';
import { eventually } from '../support/eventually.js';
import { startFixtureSite, type FixtureSite } from '../support/fixture-site.js';
import { freePort } from '../support/free-port.js';

const run = promisify(execFile);
const PACKED = path.resolve('dist/packages');
const COMPILER = path.resolve('node_modules/typescript-native/bin/tsc');
const CLIENT = `capture-service-client-${VERSION}.tgz`;
const CLI = `capture-service-cli-${VERSION}.tgz`;

interface Example {
  /** The file and heading under which it stands, and its number there. */
  readonly name: string;
  readonly code: string;
}

/** The examples of a page, in TypeScript. */
function examplesOf(page: string): Example[] {
  const sections = readFileSync(page, 'utf8').split(/^#+ /m);
  return sections.flatMap((section) => {
    const [heading = ''] = section.split('\n');
    const blocks = [...section.matchAll(/^```ts\n(.*?)^```/gms)];
    return blocks.map(([, code = ''], i) => ({ name: `${heading} ${i + 1}`, code }));
  });
}

/** What each example of docs/sdk.md prints on the pages of the test. */
const PRINTED: Readonly<Record<string, RegExp>> = {
  'TypeScript SDK 1': /^saved page\.png, \d{4,} bytes$/,
  'Captures 1': /^application\/pdf of \d{4,} bytes, capture [\w-]{36}, charged: true$/,
  'Captures 2': /^page: \d+ bytes\nphone: \d+ bytes\nwords: \d+ bytes\n.+ \d+$/,
  'Jobs 1': /succeeded/,
  'Batches 1': /100 %.*\nhome succeeded \nabout succeeded$/s,
  'Batches 2': /^true 2\n1 rows again$/,
  'History 1': /\d+ \{.*\} \d+$/s,
  'History 2': /^\d+ \d+ 30(\n[\w-]{36} \d+)+$/,
  'Errors 1': /^the page is gone: [\w-]{36}$/,
  'Retries 1': /^true$/,
  'Aborts and time limits 1': /^true$/,
  'Events 1': /succeeded 1$/,
  'Webhooks 2': /^webhook\.test pending\nwhsec_…, the previous one signs until now$/,
  'Sessions 1': /^saved active$/,
  'Sessions 2': /^what the log-in saw: image\/png$/,
  'Signed links 1':
    /^<img src="http:\/\/127\.0\.0\.1:\d+\/v1\/render\?key=\w{16}&amp;url=.*&amp;signature=v1\.[\w-]{43}" width="400" alt="">$/,
};
/** It runs until it is stopped, and has a test of its own. */
const SERVER = 'Webhooks 1';

const README = examplesOf('libs/client/README.md');
const MANUAL = examplesOf('docs/sdk.md');

/** Node as the service runs on it, and the oldest version that the packages support, if this machine has it. */
function nodes(): { version: string; node: string }[] {
  const files = (process.env.PATH ?? '').split(path.delimiter).map((folder) => path.join(folder, 'node'));
  const versions = new Map(
    [...files, process.execPath].filter(existsSync).map((node) => {
      const version = execFileSync(node, ['--version'], { encoding: 'utf8' }).replace(/\..*/s, '');
      return [version, node];
    }),
  );
  return ['v20', 'v24'].flatMap((version) => {
    const node = versions.get(version);
    return node === undefined ? [] : { version, node };
  });
}

describe('npm run pack', () => {
  let site: FixtureSite;
  let apps: Apps;
  let folder: string;
  let webhookPort: number;
  let pagePort: number;
  let secrets: Record<string, string>;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'packages-'));
    [site, webhookPort, pagePort] = [await startFixtureSite(), await freePort(), await freePort()];
    const allowed = [site.port, webhookPort, pagePort].map((port) => `127.0.0.1:${port}`).join();
    apps = await startApps({ EGRESS_ALLOW: allowed, WEBHOOK_HTTP: 'true' });
    await run(process.execPath, ['scripts/pack.mjs']);
    secrets = await secretsOf(apps);
  }, 180_000);

  afterAll(async () => {
    await site.close();
    await apps.stop();
    await rm(folder, { recursive: true });
  });

  /** An empty project that has installed these packages, without the registry. */
  const project = async (name: string, packages: readonly string[]): Promise<string> => {
    const where = path.join(folder, name);
    await mkdir(where);
    await writeFile(path.join(where, 'package.json'), '{"type":"module","private":true}');
    await run('npm', ['install', '--offline', '--no-audit', '--no-fund', ...packages], { cwd: where });
    return where;
  };

  /** The example with the addresses and secrets of the test; most use the `client` of the first one. */
  const code = ({ code: text }: Example): string => {
    const needsClient = /\bclient\./.test(text) && !text.includes('new CaptureClient');
    const head = needsClient
      ? `import { CaptureClient } from '@capture-service/client';\nconst client = new CaptureClient({ baseUrl: 'https://capture.example.com', key: 'cap_…' });\n`
      : '';
    return `${head}${text}\nexport {};\n`
      .replaceAll('https://capture.example.com', apps.url)
      .replaceAll(/https:\/\/example\.com\/(?=[',])/g, `${site.url}/about-itself.html`)
      .replaceAll('https://example.com', site.url)
      .replaceAll('cap_…', apps.key)
      .replaceAll('8080', String(webhookPort));
  };

  const compile = async (where: string, options: object, files: readonly string[]): Promise<void> => {
    const settings = path.join(where, 'tsconfig.json');
    const compilerOptions = { strict: true, target: 'es2022', outDir: 'out', ...options };
    await writeFile(settings, JSON.stringify({ compilerOptions, files }));
    const compiling = run(process.execPath, [COMPILER, '-p', settings]);
    await compiling.catch(({ stdout }: { stdout: string }) => {
      throw new Error(stdout);
    });
  };

  describe('the client', () => {
    let where: string;
    const fileOf = ({ name }: Example) => `${name.replaceAll(/\W+/g, '-')}.ts`;

    beforeAll(async () => {
      where = await project('client', [path.join(PACKED, CLIENT)]);
      for (const example of [...README, ...MANUAL])
        await writeFile(path.join(where, fileOf(example)), code(example));
      await symlink(path.resolve('node_modules/@types'), path.join(where, 'node_modules/@types'));
    });

    /** What an example prints; it must end by itself. */
    const output = async (example: Example, node = process.execPath): Promise<string> => {
      const script = path.join(where, 'out', fileOf(example).replace(/ts$/, 'js'));
      const cwd = await mkdtemp(path.join(folder, 'run-'));
      const { stdout } = await run(node, [script], {
        cwd,
        env: { ...process.env, ...secrets },
        timeout: 60_000,
      });
      return stdout.trim();
    };

    it('brings no other package', async () => {
      expect(
        (await readdir(path.join(where, 'node_modules'))).filter((name) => !name.startsWith('.')),
      ).toEqual(['@capture-service', '@types']);
      const files = await readdir(path.join(where, 'node_modules/@capture-service/client'));
      expect(files).toEqual(
        expect.arrayContaining(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json']),
      );
    });

    it('compiles the examples, with the types of Node', async () => {
      const files = [...README, ...MANUAL].map(fileOf);
      await compile(where, { module: 'nodenext', types: ['node'], skipLibCheck: true }, files);
    });

    it('compiles for browsers, with a bundler and without the types of Node', async () => {
      const options = { module: 'esnext', moduleResolution: 'bundler', types: [], lib: ['es2022', 'dom'] };
      await compile(where, { ...options, noEmit: true, skipLibCheck: false }, README.map(fileOf));
    });

    it.each(nodes())('runs the example of its README on Node $version', async ({ node }) => {
      const [example] = README;
      if (!example) throw new Error('There is no example');
      expect(await output(example, node)).toMatch(/^page\.png: \d{4,} bytes$/);
    });

    it('has an expected output for each example', () => {
      expect(MANUAL.map(({ name }) => name).sort()).toEqual([...Object.keys(PRINTED), SERVER].sort());
    });

    it.each(MANUAL.filter(({ name }) => name !== SERVER))('runs $name of docs/sdk.md', async (example) => {
      expect(await output(example)).toMatch(PRINTED[example.name] ?? /^$/);
    });

    it('receives webhooks as docs/sdk.md shows', async () => {
      const [example] = MANUAL.filter(({ name }) => name === SERVER);
      if (!example) throw new Error('There is no example');
      const script = path.join(where, 'out', fileOf(example).replace(/ts$/, 'js'));
      const server = spawn(process.execPath, [script], { env: { ...process.env, ...secrets } });
      let printed = '';
      for (const stream of [server.stdout, server.stderr])
        stream.on('data', (part) => (printed += String(part)));
      try {
        const client = new CaptureClient({ baseUrl: apps.url, key: apps.key });
        const job = await client.jobs.create({
          url: site.url,
          webhook_url: `http://127.0.0.1:${webhookPort}/`,
        });
        await eventually('the webhook arrives', () => printed.includes('\n'), 60_000);
        expect(printed).toBe(`${job.id} /v1/captures/${job.id}/result\n`);
        await eventually('it is delivered', async () => {
          return (await client.jobs.get(job.id)).webhook?.state === 'delivered';
        });
      } finally {
        server.kill();
        await once(server, 'exit');
      }
    });

    it('runs in Chromium, which the service itself starts', async () => {
      const page = await servePage(path.join(where, 'node_modules/@capture-service/client/dist'), {
        apps,
        port: pagePort,
      });
      try {
        const client = new CaptureClient({ baseUrl: apps.url, key: apps.key });
        const shown = await client.capture({
          url: `http://127.0.0.1:${pagePort}/`,
          format: 'text',
          content: 'full',
          wait_for_selector: '#end',
          wait_for_selector_state: 'attached',
          timeout_ms: 20_000,
        });
        const lines = new TextDecoder().decode(shown.bytes).split('\n').filter(Boolean);
        expect(lines).toEqual([
          'version v1',
          'unauthorized 401',
          `${apps.url.replace(/\d+$/, String(pagePort))}/v1/render`,
          'save_failed',
          'webhook_invalid',
        ]);
      } finally {
        page.close();
      }
    });
  });

  it('installs the command line with the client', async () => {
    const others = [await packed('commander', folder), await packed('leven', folder)];
    const files = [path.join(PACKED, CLIENT), path.join(PACKED, CLI), ...others];
    const where = await project('cli', files);
    const { stdout } = await run(path.join(where, 'node_modules/.bin/capture'), ['--version']);
    expect(stdout).toContain(VERSION);
  });
});

/** A package of this checkout, packed as the registry has it. */
async function packed(name: string, folder: string): Promise<string> {
  const copy = path.join(folder, name);
  await cp(path.join('node_modules', name), copy, { recursive: true });
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder, copy]);
  return path.join(folder, stdout.trim().split('\n').at(-1) ?? '');
}

/** What the operator shows: the secrets of webhooks and of links. */
async function secretsOf({ key, env }: Apps): Promise<Record<string, string>> {
  const [, keyId = ''] = key.split('_');
  const ask = async (...args: string[]): Promise<{ secret: string }> => {
    const { stdout } = await run(process.execPath, args, { env: { ...process.env, ...env } });
    return JSON.parse(stdout) as { secret: string };
  };
  const webhook = await ask('dist/scripts/webhooks.js', 'secret', '--json');
  const signing = await ask('dist/scripts/keys.js', 'signing', keyId, '--json');
  return { WEBHOOK_SECRET: webhook.secret, KEY_ID: keyId, SIGNING_SECRET: signing.secret };
}

const PAGE = `<!doctype html><title>SDK</title><body><script type="module">
import { CaptureClient } from '/sdk/index.js';
const show = (text) => document.body.append(Object.assign(document.createElement('p'), { textContent: text }));
const failure = (call) => call.then(() => 'none', (error) => error);
const client = new CaptureClient({ baseUrl: location.origin, signing: { keyId: 'k', secret: 'cls_x' } });
show('version ' + (await client.version()).api_version);
const error = await failure(client.usage());
show(error.code + ' ' + error.status);
const { url } = await client.links.sign({ url: 'https://example.com/' }, { expiresInS: 60 });
show(url.split('?')[0]);
show((await failure(client.captureToFile({ url: 'https://example.com/' }, 'a.png', { fetch }))).code);
show((await failure(client.webhooks.verify('{}', { 'webhook-id': 'a', 'webhook-timestamp': String(Math.floor(Date.now() / 1000)), 'webhook-signature': 'v1,AAAA' }, 'whsec_AAAA'))).code);
document.body.append(Object.assign(document.createElement('i'), { id: 'end' }));
</script>`;

/** A page with the built client, whose origin forwards calls to the service as a company's web server would. */
async function servePage(
  built: string,
  { apps, port }: { readonly apps: Pick<Apps, 'url'>; readonly port: number },
): Promise<http.Server> {
  const server = http.createServer((request, response) => {
    const { url = '/', method, headers } = request;
    if (url.startsWith('/v1/')) {
      const forwarded = http.request(new URL(url, apps.url), { method, headers }, (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(response);
      });
      request.pipe(forwarded);
    } else if (url.startsWith('/sdk/')) {
      response.setHeader('content-type', 'text/javascript');
      void readFile(path.join(built, url.slice('/sdk/'.length))).then((text) => response.end(text));
    } else {
      response.setHeader('content-type', 'text/html').end(PAGE);
    }
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  if ((server.address() as AddressInfo).port !== port) throw new Error('The port is taken');
  return server;
}
