import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Env } from '@app/config';
import { parse } from 'yaml';

const FOLDER = 'deploy/proxies';
const page = readFileSync('docs/proxies.md', 'utf8');
const read = (file: string) => readFileSync(`${FOLDER}/${file}`, 'utf8');

/** From apps/api: the API closes an idle connection after this time. */
const KEEP_ALIVE_S = 65;
/** docs/security.md: the longest synchronous capture. */
const LONGEST_S = 200;

/** The fields of Traefik 3 that the files use; another one is a typing error until it is added. */
const TRAEFIK = [
  'entryPoints.*.address',
  ...['readTimeout', 'writeTimeout', 'idleTimeout'].map(
    (each) => `entryPoints.*.transport.respondingTimeouts.${each}`,
  ),
  ...['email', 'storage', 'tlsChallenge'].map((each) => `certificatesResolvers.*.acme.${each}`),
  'providers.file.filename',
  ...['rule', 'entryPoints', 'service', 'tls.certResolver'].map((each) => `http.routers.*.${each}`),
  ...['serversTransport', 'servers', 'healthCheck.path', 'healthCheck.interval', 'healthCheck.timeout'].map(
    (each) => `http.services.*.loadBalancer.${each}`,
  ),
  ...['responseHeaderTimeout', 'idleConnTimeout'].map(
    (each) => `http.serversTransports.*.forwardingTimeouts.${each}`,
  ),
];
/** The objects whose keys are names of the operator. */
const NAMED = ['entryPoints', 'certificatesResolvers', 'routers', 'services', 'serversTransports'];

/** The paths of all fields of a YAML file, with `*` for names. */
function pathsOf(value: unknown, at: readonly string[] = []): string[] {
  const isLeaf = typeof value !== 'object' || value === null || Array.isArray(value);
  const entries = isLeaf ? [] : Object.entries(value);
  if (entries.length === 0) return [at.join('.')];
  const isNamed = NAMED.includes(at.at(-1) ?? '');
  return entries.flatMap(([key, field]) => pathsOf(field, [...at, isNamed ? '*' : key]));
}

describe('docs/proxies.md', () => {
  it.each(readdirSync(FOLDER))('quotes %s as it is', (file) => {
    expect(page).toContain(`\n${read(file)}\`\`\`\n`);
  });
});

describe('deploy/proxies', () => {
  it('waits for longer than the longest synchronous capture', () => {
    const waits = [
      /proxy_read_timeout (\d+)s;/.exec(read('nginx.conf')),
      /response_header_timeout (\d+)s/.exec(read('Caddyfile')),
      /responseHeaderTimeout: (\d+)s/.exec(read('traefik-capture.yml')),
    ].map((found) => Number(found?.[1]));
    for (const seconds of waits) expect(seconds).toBeGreaterThan(LONGEST_S);
    expect(readFileSync('docs/security.md', 'utf8')).toContain(`a request timeout above ${LONGEST_S} s`);
  });

  it('closes idle connections before the API does', () => {
    const source = readFileSync('apps/api/src/http/configure-http.ts', 'utf8');
    expect(source).toContain(`KEEP_ALIVE_MS = ${KEEP_ALIVE_S}_000`);
    const waits = [
      /keepalive_timeout (\d+)s;/.exec(read('nginx.conf')),
      /keepalive (\d+)s/.exec(read('Caddyfile')),
      /idleConnTimeout: (\d+)s/.exec(read('traefik-capture.yml')),
    ].map((found) => Number(found?.[1]));
    for (const seconds of waits) expect(seconds).toBeLessThan(KEEP_ALIVE_S);
  });

  it('reaches the port of the API by default', () => {
    const upstream = `127.0.0.1:${new Env().PORT}`;
    for (const file of ['nginx.conf', 'Caddyfile', 'traefik-capture.yml'])
      expect(read(file)).toContain(upstream);
  });

  it.each(['traefik.yml', 'traefik-capture.yml'])('has only fields that Traefik knows: %s', (file) => {
    expect(pathsOf(parse(read(file))).filter((at) => !TRAEFIK.includes(at))).toEqual([]);
  });
});
