import { build, find, type Manifest } from './manifests.js';

interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources: { readonly limits: Record<string, string> };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly failureThreshold: number;
}

export interface Pod {
  readonly metadata: { readonly labels: Record<string, string> };
  readonly spec: {
    readonly containers: readonly Container[];
    readonly terminationGracePeriodSeconds: number;
    readonly volumes?: readonly {
      readonly name: string;
      readonly emptyDir?: { readonly sizeLimit: string };
    }[];
  };
}

export const FOLDER = 'deploy/kubernetes';
/** What the example installs, the nodes' part, and workers in an isolating runtime. */
export const SERVICE = build(`${FOLDER}/example`);
export const NODES = build(`${FOLDER}/seccomp`);
export const ISOLATED = build(`${FOLDER}/components/isolated-runtime`, build(`${FOLDER}/base`));

/** An object of the example. */
export const named = (kind: string, name: string) => {
  const manifest = find(SERVICE, kind, name);
  if (!manifest) throw new Error(`There is no ${kind} ${name}`);
  return manifest as Manifest & { spec: unknown; data: Record<string, string> };
};
const podOf = (kind: string, name: string) => (named(kind, name).spec as { template: Pod }).template;
/** The only container of a pod. */
export const containerOf = (pod: Pod) => {
  const [container] = pod.spec.containers;
  if (!container || pod.spec.containers.length > 1) throw new Error('Expected one container');
  return container;
};
export const api = podOf('Deployment', 'capture-api');
export const worker = podOf('Deployment', 'capture-worker');
export const migrate = podOf('Job', 'capture-migrate');
export const selects = (labels: Record<string, string>, pod: Pod) =>
  Object.entries(labels).every(([key, value]) => pod.metadata.labels[key] === value);

/** The pod of the workers among other objects than those of the example. */
export function podIn(manifests: readonly Manifest[]): Pod {
  return (find(manifests, 'Deployment', 'capture-worker')?.spec as { template: Pod }).template;
}
