import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { LookupOptions } from 'node:dns';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Agent, fetch, type RequestInit, type Response } from 'undici';
import { dataFolder } from '../../apps/launcher/src/data-folder.mjs';
import { provideTool } from '../../apps/launcher/src/apt.mjs';
import { onPath, tied } from '../../apps/launcher/src/processes.mjs';
import { CERTIFICATE } from './certificate.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

const HOST = 'site.test';
const FOLDER = 'deploy/proxies';

export interface Program {
  readonly path: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A reverse proxy with TLS on loopback, which runs with a file of deploy/proxies. */
export interface ReverseProxy {
  readonly url: string;
  /** Calls the API through it, from one of the addresses of loopback. */
  call(path: string, init?: RequestInit, from?: string): Promise<Response>;
  stop(): Promise<void>;
}

/** A part of a file of deploy/proxies that a test replaces, such as an address. */
type Replacements = Readonly<Record<string, string>>;

/** The program of the machine, or of its Debian package; undefined where there is neither. */
export async function findProxy(name: 'nginx' | 'caddy'): Promise<Program | undefined> {
  const found = onPath(name, `${process.env.PATH}:/usr/sbin`);
  if (found) return { path: found, env: {} };
  const into = path.join(dataFolder(), 'tools', name);
  const file = name === 'nginx' ? 'usr/sbin/nginx' : 'usr/bin/caddy';
  return provideTool({ packages: [name], file, into, withDependencies: name === 'nginx' });
}

/** Starts nginx before an API; `changes` replace more parts of the file. */
export async function startNginx(program: Program, upstream: string, changes: Replacements = {}) {
  const { folder, files } = certificateIn('nginx');
  const port = await freePort();
  const site = adapted('nginx.conf', {
    'listen 443 ssl http2;': `listen 127.0.0.1:${port} ssl http2;`,
    'server_name capture.example.com;': `server_name ${HOST};`,
    '/etc/ssl/certs/capture.example.com.pem': files.cert,
    '/etc/ssl/private/capture.example.com.key': files.key,
    'server 127.0.0.1:3000;': `server ${new URL(upstream).host};`,
    ...changes,
  });
  for (const name of ['body', 'proxy', 'other']) mkdirSync(path.join(folder, name));
  writeFileSync(path.join(folder, 'site.conf'), site);
  writeFileSync(
    path.join(folder, 'nginx.conf'),
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr warn;
     ${process.getuid?.() === 0 ? 'user root;' : ''} events {}
     http {
       access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
       fastcgi_temp_path ${folder}/other; uwsgi_temp_path ${folder}/other; scgi_temp_path ${folder}/other;
       include ${folder}/site.conf;
     }`,
  );
  return start(program, ['-p', folder, '-e', 'stderr', '-c', path.join(folder, 'nginx.conf')], {
    folder,
    port,
  });
}

export async function startCaddy(program: Program, upstream: string) {
  const { folder, files } = certificateIn('caddy');
  const port = await freePort();
  const file = path.join(folder, 'Caddyfile');
  const site = adapted('Caddyfile', {
    'capture.example.com {': `https://${HOST}:${port} {\n\tbind 127.0.0.1\n\ttls ${files.cert} ${files.key}\n`,
    '127.0.0.1:3000': new URL(upstream).host,
  });
  writeFileSync(file, `{\n\tadmin off\n\tauto_https off\n}\n${site}`);
  return start(program, ['run', '--config', file, '--adapter', 'caddyfile'], { folder, port });
}

function certificateIn(name: string) {
  const folder = mkdtempSync(path.join(os.tmpdir(), `capture-test-${process.pid}-${name}-`));
  const files = { cert: path.join(folder, 'cert.pem'), key: path.join(folder, 'key.pem') };
  writeFileSync(files.cert, CERTIFICATE.cert);
  writeFileSync(files.key, CERTIFICATE.key);
  return { folder, files };
}

/** A file of deploy/proxies with other addresses; each part must be there. */
function adapted(file: string, replacements: Replacements): string {
  let text = readFileSync(path.join(FOLDER, file), 'utf8');
  for (const [part, replacement] of Object.entries(replacements)) {
    if (!text.includes(part)) throw new Error(`${FOLDER}/${file} has no "${part}"`);
    text = text.replaceAll(part, replacement);
  }
  return text;
}

async function start(
  program: Program,
  words: string[],
  { folder, port }: { folder: string; port: number },
): Promise<ReverseProxy> {
  const { command, args } = tied(program.path, words);
  const home = { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const child = spawn(command, args, {
    env: { ...process.env, ...program.env, ...home },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (log += text));
  await eventually('the proxy listens', async () => {
    if (child.exitCode !== null) throw new Error(`The proxy ended:\n${log}`);
    return listens(port);
  });
  const agents = new Map<string, Agent>();
  const url = `https://${HOST}:${port}`;
  return {
    url,
    call: (at, init, from = '127.0.0.1') => {
      const dispatcher = agents.get(from) ?? agentFrom(from);
      agents.set(from, dispatcher);
      return fetch(new URL(at, url), { ...init, dispatcher });
    },
    stop: async () => {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
      await end(child);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const LOOPBACK = { address: '127.0.0.1', family: 4 };
type Found = (error: null, address: string | (typeof LOOPBACK)[], family?: number) => void;

/** Resolves every name to loopback, and connects from the address. */
function agentFrom(localAddress: string): Agent {
  const connect = {
    ca: CERTIFICATE.cert,
    // With a local address Node asks for one address.
    lookup: (_: string, { all }: LookupOptions, found: Found) =>
      all === true ? found(null, [LOOPBACK]) : found(null, LOOPBACK.address, LOOPBACK.family),
  };
  return new Agent({ connect, localAddress, allowH2: false, headersTimeout: 0, bodyTimeout: 0 });
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
