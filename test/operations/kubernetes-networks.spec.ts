import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Env } from '@app/config';
import { isPublic, readCidr } from '@app/outbound';
import { api, FOLDER, migrate, named, selects, SERVICE, worker, type Pod } from './support/kubernetes.js';
import { build, find } from './support/manifests.js';

interface Rule {
  readonly to?: readonly {
    readonly ipBlock?: { readonly cidr: string; readonly except?: readonly string[] };
    readonly podSelector?: { readonly matchLabels: Record<string, string> };
  }[];
  readonly ports: readonly { readonly port: number }[];
}

const DEFAULTS = new Env();
const BASE = build(`${FOLDER}/base`);
const MAIL = build(`${FOLDER}/components/mail`, BASE);
const secrets = named('Secret', 'capture-secrets') as unknown as { stringData: object };

interface PodSelector {
  readonly matchLabels: Record<string, string>;
  readonly matchExpressions?: readonly { readonly key: string; readonly values: readonly string[] }[];
}

/** Whether a policy applies to a pod. */
function isSelected(policy: string, pod: Pod): boolean {
  const { podSelector } = named('NetworkPolicy', policy).spec as { podSelector: PodSelector };
  const expressions = podSelector.matchExpressions ?? [];
  return (
    selects(podSelector.matchLabels, pod) &&
    expressions.every(({ key, values }) => values.includes(pod.metadata.labels[key] ?? ''))
  );
}
const egressOf = (name: string) =>
  ((find(MAIL, 'NetworkPolicy', name) ?? named('NetworkPolicy', name)).spec as { egress: Rule[] }).egress;

describe('the networks of the pods', () => {
  it('are closed but for what a policy opens', () => {
    expect(named('NetworkPolicy', 'capture-deny').spec).toEqual({
      podSelector: { matchLabels: { 'app.kubernetes.io/name': 'capture-service' } },
      policyTypes: ['Ingress', 'Egress'],
    });
    for (const pod of [api, worker, migrate])
      expect(Object.entries(pod.metadata.labels)).toContainEqual([
        'app.kubernetes.io/name',
        'capture-service',
      ]);
  });

  it.each([
    ['capture-worker-web', DEFAULTS.EGRESS_PORTS.split(',').map(Number)],
    ['capture-api-bucket', [443]],
    ['capture-worker-mail', [465, 587, 2525]],
  ])('reach only public addresses by %s', (name, ports) => {
    const [rule, ...more] = egressOf(name);
    expect(more).toEqual([]);
    expect(rule?.ports.map(({ port }) => port)).toEqual(ports);
    const blocks = rule?.to?.flatMap(({ ipBlock }) => ipBlock ?? []) ?? [];
    expect(blocks.map((block) => block.cidr)).toEqual(['0.0.0.0/0', '2000::/3']);
    const allows = (text: string) => {
      const [address] = readCidr(text) ?? [];
      const matches = (cidr: string) => {
        const [base, prefix] = readCidr(cidr) ?? [];
        return base !== undefined && address?.kind() === base.kind() && address.match(base, prefix ?? 0);
      };
      return blocks.some((block) => matches(block.cidr) && !block.except?.some(matches));
    };
    const samples = [
      ...['0.0.0.1', '10.0.0.1', '100.64.0.1', '127.0.0.1', '168.63.129.16', '169.254.169.254', '172.31.0.1'],
      ...[
        '192.0.0.192',
        '192.168.1.1',
        '198.18.0.1',
        '224.0.0.1',
        '255.255.255.255',
        '172.32.0.1',
        '93.184.215.14',
      ],
      ...[
        '::1',
        'fd00::1',
        'fe80::1',
        'ff02::1',
        '::ffff:10.0.0.1',
        '64:ff9b::a00:1',
        '2002:a00:1::',
        '2001::1',
      ],
      ...['2606:2800:220:1:248:1893:25c8:1946'],
    ];
    const isOpen = (text: string) => {
      const [address] = readCidr(text) ?? [];
      return address !== undefined && isPublic(address);
    };
    expect(samples.filter(allows)).toEqual(samples.filter(isOpen));
  });

  it('let pods reach names and the servers of the service, and let in its clients and the readers of its metrics', () => {
    expect(egressOf('capture-servers').flatMap(({ ports }) => ports.map(({ port }) => port))).toEqual([
      53, 53, 5432,
    ]);
    const [dns] = egressOf('capture-servers');
    expect(
      dns?.to?.map(({ podSelector, ipBlock }) => podSelector?.matchLabels['k8s-app'] ?? ipBlock?.cidr),
    ).toEqual(['kube-dns', 'node-local-dns', '169.254.20.10/32']);
    const ingress = (name: string) => JSON.stringify(named('NetworkPolicy', name).spec);
    expect(ingress('capture-api-clients')).toContain('"ports":[{"protocol":"TCP","port":3000}]');
    for (const port of [DEFAULTS.METRICS_PORT, DEFAULTS.WORKER_METRICS_PORT])
      expect(ingress('capture-metrics-readers')).toContain(`"port":${port}`);
  });
});

describe('servers outside of the cluster', () => {
  const NETWORKS = ['10.0.0.0/8', '100.64.0.0/10', '172.16.0.0/12', '192.168.0.0/16', 'fc00::/7'];

  it.each([
    ['capture-private-database', [5432], [api, worker, migrate]],
    ['capture-private-queue', [6379, 6380], [api, worker]],
  ])('are reached at private addresses by %s, and only on their ports', (name, ports, pods) => {
    const [rule, ...more] = egressOf(name);
    expect(more).toEqual([]);
    expect(rule?.to?.map(({ ipBlock }) => ipBlock?.cidr)).toEqual(NETWORKS);
    expect(rule?.ports.map(({ port }) => port)).toEqual(ports);
    expect([api, worker, migrate].filter((pod) => isSelected(name, pod))).toEqual(pods);
  });

  it('include a mail server for workers alone, where the operator adds it', () => {
    const policy = find(MAIL, 'NetworkPolicy', 'capture-worker-mail');
    const { matchLabels } = (policy?.spec as { podSelector: PodSelector }).podSelector;
    expect([api, worker, migrate].filter((pod) => selects(matchLabels, pod))).toEqual([worker]);
    expect(find(SERVICE, 'NetworkPolicy', 'capture-worker-mail')).toBeUndefined();
  });

  it('are those of the example, whose database is not a pod', () => {
    const { hostname } = new URL((secrets.stringData as Record<string, string>).DATABASE_URL ?? '');
    expect(hostname).toBe('postgres.example.com');
    expect(find(BASE, 'NetworkPolicy', 'capture-private-database')).toBeUndefined();
  });
});

describe('docs/deploy.md', () => {
  const page = readFileSync('docs/deploy.md', 'utf8');

  it('names every label that the policies select other pods and namespaces by', () => {
    const labels = [...SERVICE, ...MAIL]
      .filter(({ kind }) => kind === 'NetworkPolicy')
      .flatMap((policy) => [
        ...JSON.stringify(policy).matchAll(/"(capture-service\/[a-z-]+)":"([a-z0-9]+)"/g),
      ]);
    const pairs = new Set(
      labels.map(([, label, value]) => `\`${label}: ${value === 'true' ? "'true'" : value}\``),
    );
    expect(pairs.size).toBe(7);
    expect([...pairs].filter((pair) => !page.includes(pair))).toEqual([]);
  });

  it('names every component', () => {
    const folders = readdirSync('deploy/kubernetes/components');
    expect(folders.filter((folder) => !page.includes(`| \`components/${folder}\` |`))).toEqual([]);
  });
});

describe('the scaling of the workers', () => {
  it('reads the queue at the metrics port of the API, and is the only one to set their number', () => {
    const { triggers, minReplicaCount } = named('ScaledObject', 'capture-worker').spec as {
      triggers: { metadata: Record<string, string> }[];
      minReplicaCount: number;
    };
    const url = new URL(triggers[0]?.metadata.url ?? '');
    const [name = '', namespace, ...domain] = url.hostname.split('.');
    // KEDA resolves the name in its own namespace.
    expect([namespace, domain.join('.')]).toEqual(['capture', 'svc.cluster.local']);
    expect(named('Service', name).metadata.namespace).toBe(namespace);
    const service = named('Service', name).spec as {
      selector: Record<string, string>;
      ports: { port: number; targetPort: string }[];
    };
    expect(service.ports).toMatchObject([{ port: Number(url.port), targetPort: 'metrics' }]);
    expect([selects(service.selector, api), selects(service.selector, worker)]).toEqual([true, false]);
    expect(url.pathname).toBe('/metrics/queue');
    expect(minReplicaCount).toBeGreaterThanOrEqual(1);
    expect(named('Deployment', 'capture-worker').spec).not.toHaveProperty('replicas');
  });
});
