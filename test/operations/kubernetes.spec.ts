import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { Env } from '@app/config';
import { fieldsOf } from '@app/kernel';
import { parseAllDocuments } from 'yaml';
import {
  api,
  containerOf,
  FOLDER,
  ISOLATED,
  migrate,
  named,
  NODES,
  podIn,
  selects,
  SERVICE,
  worker,
  type Pod,
} from './support/kubernetes.js';
import { find, type Manifest } from './support/manifests.js';
import { faultsOf } from './support/schemas.js';

const DEFAULTS = new Env();
const MIB = 1_048_576;
const amountOf = (text = '') => Number.parseInt(text) * (text.endsWith('Gi') ? 1_024 * MIB : MIB);

describe('deploy/kubernetes', () => {
  it.each([
    ['the example, with KEDA and Prometheus', SERVICE],
    ['the seccomp profile', NODES],
    ['an isolating runtime', ISOLATED],
  ])('has only objects and fields that Kubernetes knows: %s', async (_, manifests) => {
    const faults = await Promise.all(
      manifests.map(async (manifest) => [
        `${manifest.kind} ${manifest.metadata.name}`,
        await faultsOf(manifest),
      ]),
    );
    expect(faults.filter(([, found]) => found?.length !== 0)).toEqual([]);
  });

  it('has no file that no kustomization names', () => {
    const files = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' });
    const texts = files
      .filter((file) => file.endsWith('kustomization.yaml'))
      .map((file) => readFileSync(`${FOLDER}/${file}`, 'utf8'))
      .join('');
    const leaves = files.filter((file) => /\.\w+$/.test(file) && !file.endsWith('kustomization.yaml'));
    expect(leaves.filter((file) => !texts.includes(String(file.split('/').pop())))).toEqual([]);
  });

  it('is built by kubectl into the same objects, where there is a kubectl', async () => {
    const run = promisify(execFile);
    const rendered = await run('kubectl', ['kustomize', `${FOLDER}/example`], { maxBuffer: 16 * MIB }).catch(
      (error: { code: unknown }) => {
        if (error.code !== 'ENOENT') throw error;
      },
    );
    if (!rendered) return;
    const built = parseAllDocuments(rendered.stdout).map((document) => document.toJS() as Manifest);
    expect(built.map(comparable).sort()).toEqual(SERVICE.map(comparable).sort());
  });
});

/** An object without what only kustomize adds: hashes of names, names of images, labels and encodings of what it generates. */
function comparable(manifest: Manifest): string {
  const text = JSON.stringify(manifest, (_, value: unknown) => sorted(value))
    .replaceAll(/(capture-(?:settings|secrets))-\w{10}/g, '$1')
    .replaceAll(/registry\.example\.com\/(capture-service):[\d.]+/g, '$1');
  const { kind, name } = { kind: manifest.kind, name: manifest.metadata.name };
  const isGenerated = ['ConfigMap', 'Secret'].includes(kind);
  return isGenerated ? `${kind} ${name.replace(/-\w{10}$/, '')}` : text;
}

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
}

describe('the settings of the pods', () => {
  it('are variables that the service reads', () => {
    const known = [...fieldsOf(Env).map(({ name }) => name), 'TMPDIR'];
    const set = [
      ...Object.keys(named('ConfigMap', 'capture-settings').data),
      ...Object.keys((named('Secret', 'capture-secrets') as unknown as { stringData: object }).stringData),
      ...[api, worker, migrate, podIn(ISOLATED)]
        .flatMap((pod) => containerOf(pod).env ?? [])
        .map(({ name }) => name),
    ];
    expect(set.length).toBeGreaterThan(10);
    expect(set.filter((name) => !known.includes(name))).toEqual([]);
  });

  it('keep secrets out of the ConfigMap', () => {
    const secret = fieldsOf(Env)
      .filter((field) => field.secret)
      .map(({ name }) => String(name));
    const settings = Object.keys(named('ConfigMap', 'capture-settings').data);
    expect(settings.filter((name) => secret.includes(name))).toEqual([]);
  });

  it('leave every port at its default, which the containers name', () => {
    const settings = Object.keys(named('ConfigMap', 'capture-settings').data);
    expect(settings.filter((name) => name.endsWith('PORT'))).toEqual([]);
    const portsOf = (pod: Pod) => containerOf(pod).ports?.map(({ containerPort }) => containerPort);
    expect(portsOf(api)).toEqual([DEFAULTS.PORT, DEFAULTS.METRICS_PORT]);
    expect(portsOf(worker)).toEqual([DEFAULTS.WORKER_PORT, DEFAULTS.WORKER_METRICS_PORT]);
  });
});

describe.each([
  ['api', api, 'apps/api/src/health/probes.controller.ts'],
  ['worker', worker, 'apps/worker/src/health/health.controller.ts'],
])('the pods of the %s', (_, pod, controller) => {
  const { startupProbe, readinessProbe, livenessProbe, ports } = containerOf(pod);

  it('are probed at routes that exist', () => {
    const source = readFileSync(controller, 'utf8');
    const paths = [startupProbe, readinessProbe, livenessProbe].map((probe) => probe?.httpGet.path);
    expect(paths).toEqual(['/startupz', '/readyz', '/livez']);
    expect(paths.filter((path) => !source.includes(`@Get('${path?.slice(1)}')`))).toEqual([]);
    expect(readinessProbe?.httpGet.port).toBe(ports?.[0]?.name);
  });

  it('leave their Service only after several failed probes, as one late answer would take all of them out', () => {
    expect(readinessProbe?.failureThreshold).toBeGreaterThanOrEqual(2);
  });

  it('have longer to end than the processes take', () => {
    const source = readFileSync('libs/process/src/run-process.ts', 'utf8');
    const closing = Number(/CLOSING_MS = (\d+_\d+)/.exec(source)?.[1]?.replace('_', ''));
    const ours = (DEFAULTS.SHUTDOWN_DELAY_MS + DEFAULTS.SHUTDOWN_GRACE_MS + closing) / 1_000;
    expect(pod.spec.terminationGracePeriodSeconds).toBeGreaterThan(ours);
  });

  it('are selected by their Deployment, their budget, and nothing of the other', () => {
    const name = pod === api ? 'capture-api' : 'capture-worker';
    const [other, own] = pod === api ? [worker, api] : [api, worker];
    for (const kind of ['Deployment', 'PodDisruptionBudget']) {
      const { selector } = named(kind, name).spec as { selector: { matchLabels: Record<string, string> } };
      expect([selects(selector.matchLabels, own), selects(selector.matchLabels, other)]).toEqual([
        true,
        false,
      ]);
    }
  });
});

describe('the pods', () => {
  it.each(Object.entries({ api, worker, migrate }))(
    'of %s cannot become root or write to their image',
    (_, pod) => {
      expect(pod.spec).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 1000 },
      });
      expect(containerOf(pod)).toMatchObject({
        image: 'capture-service',
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
      });
      expect(Object.keys(containerOf(pod).resources.limits)).toContain('memory');
    },
  );

  it('of the worker run under the profile that the nodes get', () => {
    const profile = {
      seccompProfile: { type: 'Localhost', localhostProfile: 'capture-service/chromium.json' },
    };
    expect(worker.spec).toMatchObject({ securityContext: profile });
    const { template } = find(NODES, 'DaemonSet', 'capture-seccomp')?.spec as { template: { spec: object } };
    expect(JSON.stringify(template.spec)).toContain(
      '--target-directory=/seccomp/capture-service","/profile/chromium.json"',
    );
    expect(template.spec).toMatchObject({
      // Every node, also those that only some pods may use.
      tolerations: [{ operator: 'Exists' }],
      volumes: [
        { hostPath: { path: '/var/lib/kubelet/seccomp' } },
        { configMap: { name: 'capture-seccomp' } },
      ],
    });
    expect(podIn(ISOLATED).spec).toMatchObject({
      runtimeClassName: 'gvisor',
      securityContext: { seccompProfile: { type: 'RuntimeDefault' } },
    });
  });

  it('can write where the processes write', () => {
    const mounts = (pod: Pod) => containerOf(pod).volumeMounts?.map(({ mountPath }) => mountPath);
    const temporary = (pod: Pod) => containerOf(pod).env?.find(({ name }) => name === 'TMPDIR')?.value;
    expect([mounts(api), temporary(api)]).toEqual([['/data/spool'], '/data/spool']);
    expect([mounts(worker), temporary(worker)]).toEqual([['/data', '/tmp'], '/data']);
    // What the browsers write counts as memory: Node keeps half a GiB.
    const scratch = worker.spec.volumes?.[0]?.emptyDir?.sizeLimit;
    expect(amountOf(scratch)).toBe(amountOf(containerOf(worker).resources.limits.memory) - 512 * MIB);
  });
});
