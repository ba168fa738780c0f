import type { Manifest } from './manifests.js';

interface Model {
  validate(): void;
}

/** The schemas of each version of an API that the manifests use. */
const SCHEMAS: Record<string, () => Promise<unknown>> = {
  v1: () => import('kubernetes-models/v1'),
  'apps/v1': () => import('kubernetes-models/apps/v1'),
  'autoscaling/v2': () => import('kubernetes-models/autoscaling/v2'),
  'batch/v1': () => import('kubernetes-models/batch/v1'),
  'networking.k8s.io/v1': () => import('kubernetes-models/networking.k8s.io/v1'),
  'policy/v1': () => import('kubernetes-models/policy/v1'),
  'keda.sh/v1alpha1': () => import('@kubernetes-models/keda/keda.sh/v1alpha1'),
  'monitoring.coreos.com/v1': () => import('@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1'),
};

/**
 * What is wrong with an object according to the schema of its kind. The schemas allow fields that they do not know; a
 * validator never reads those, which gives typing errors away.
 */
export async function faultsOf(manifest: Manifest): Promise<string[]> {
  const { apiVersion, kind } = manifest;
  const schemas = await SCHEMAS[apiVersion]?.();
  const Schema = (schemas as Record<string, new (data: Manifest) => Model> | undefined)?.[kind];
  if (!Schema) return [`there is no schema of ${apiVersion} ${kind}`];
  const unread = new Set<string>();
  const model = watch(new Schema(manifest), { at: '', unread });
  try {
    model.validate();
  } catch (error) {
    return [String(error)];
  }
  return [...unread].map((field) => `${field} is no field of ${kind}`);
}

/** A proxy that removes the path of each field from `unread` when it is read. */
function watch<T extends object>(value: T, { at, unread }: { at: string; unread: Set<string> }): T {
  if (!Array.isArray(value)) for (const key of Object.keys(value)) unread.add(`${at}.${key}`);
  return new Proxy(value, {
    get(target, key, receiver): unknown {
      const field: unknown = Reflect.get(target, key, receiver);
      if (typeof key !== 'string' || !Object.hasOwn(target, key)) return field;
      unread.delete(`${at}.${key}`);
      const isObject = typeof field === 'object' && field !== null;
      return isObject ? watch(field, { at: `${at}.${key}`, unread }) : field;
    },
  });
}
