import { execFileSync, spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { LANGUAGES } from './languages.js';

/** Texts that mean something in one of the languages, in a shell or in JSON. */
const HOSTILE = {
  url: 'https://example.com/?a=1&b=%20$HOME#x',
  css: `"double" 'single' \`back\` \\ \\n $(touch pwned) \${x} {$y} !! %s \n\r\t\u0000\u0007\u2028\u2029\uFEFF é 中 😀 ?> <?php */ # //`,
  hide_selectors: ["JSON\nJSON;\n'", '</script>', '@file', "'''", '"""'],
  headers: { __proto__x: 'a', ['__proto__']: 'b', "it's": '$1', constructor: 'c' },
  cookies: [{ name: 'a', value: '\\' }],
  quality: 70,
  device_scale_factor: 1.5,
  full_page: true,
  pdf_background: false,
  block_urls: [],
  format: 'jpeg',
};

interface Runner {
  readonly file: string;
  readonly command: readonly [string, ...string[]];
  readonly probe: readonly [string, ...string[]];
}

const RUNNERS: Readonly<Record<string, Runner>> = {
  curl: { file: 'main.sh', command: ['bash', 'main.sh'], probe: ['curl', '--version'] },
  typescript: {
    file: 'main.mjs',
    command: [process.execPath, 'main.mjs'],
    probe: [process.execPath, '--version'],
  },
  python: { file: 'main.py', command: ['python3', 'main.py'], probe: ['python3', '--version'] },
  go: { file: 'main.go', command: ['go', 'run', 'main.go'], probe: ['go', 'version'] },
  php: { file: 'main.php', command: ['php', 'main.php'], probe: ['php', '--version'] },
};

/** The file that the service would answer with. */
const FILE = Buffer.from([0xff, 0xd8, 0x00, 0x0a]);
const SDK = pathToFileURL(path.resolve('dist/libs/client/src/index.js')).href;

function hasCommand([command, ...args]: readonly [string, ...string[]]): boolean {
  try {
    execFileSync(command, args, { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

interface Seen {
  readonly path: string | undefined;
  readonly authorization: string | undefined;
  readonly body: unknown;
}

describe('the code for a request', () => {
  let server: Server;
  let baseUrl: string;
  let seen: Seen[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const body: unknown = JSON.parse(Buffer.concat(parts).toString());
        seen.push({ path: request.url, authorization: request.headers.authorization, body });
        const isLink = request.url === '/v1/links';
        response.setHeader('content-type', isLink ? 'application/json' : 'image/jpeg');
        if (!isLink) response.setHeader('x-capture-id', 'one');
        response.end(isLink ? JSON.stringify({ url: 'http://link.test/a', expires_at: null }) : FILE);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });

  afterAll(() => void server.close());

  const known = LANGUAGES.map(({ value, code }) => ({ value, code, runner: RUNNERS[value] as Runner }));
  const runnable = known.filter(({ runner }) => hasCommand(runner.probe));

  it('is run in every language that this machine has', () => {
    expect(runnable.map(({ value }) => value)).toEqual(
      expect.arrayContaining(['curl', 'typescript', 'python']),
    );
  });

  describe.each(runnable)('$value', ({ code, runner }) => {
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(path.join(os.tmpdir(), 'console-code-'));
    });
    afterAll(() => rm(folder, { recursive: true, force: true }));

    async function run(text: string): Promise<string> {
      seen = [];
      await writeFile(path.join(folder, runner.file), text.replace("'@capture-service/client'", `'${SDK}'`));
      const [command, ...args] = runner.command;
      const child = spawn(command, args, {
        cwd: folder,
        env: { ...process.env, CAPTURE_API_KEY: 'cap_test' },
      });
      let output = '';
      child.stdout.on('data', (part: Buffer) => (output += part.toString()));
      child.stderr.on('data', (part: Buffer) => (output += part.toString()));
      const status = await new Promise((resolve) => child.on('close', resolve));
      expect({ status, output }).toMatchObject({ status: 0 });
      return output;
    }

    it('sends exactly these options and saves the file', async () => {
      await run(code({ baseUrl, options: HOSTILE }));
      expect(seen).toEqual([{ path: '/v1/capture', authorization: 'Bearer cap_test', body: HOSTILE }]);
      expect(await readFile(path.join(folder, 'capture.jpg'))).toEqual(FILE);
      expect(await readdir(folder)).not.toContain('pwned');
    });

    it('prints a signed link', async () => {
      const options = { url: HOSTILE.url, css: HOSTILE.css, hide_selectors: HOSTILE.hide_selectors };
      const output = await run(code({ baseUrl, options, linkLifeS: 3_600 }));
      expect(seen[0]).toMatchObject({ path: '/v1/links', body: { ...options, expires_in_s: 3_600 } });
      expect(output).toContain('http://link.test/a');
    });
  });
});
