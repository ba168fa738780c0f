import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

type Fields = Record<string, unknown>;

/** An object of Kubernetes. */
export type Manifest = Fields & {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Record<string, string>;
  };
};

interface Generator {
  readonly name: string;
  readonly behavior?: 'merge';
  readonly envs?: readonly string[];
  readonly files?: readonly string[];
  readonly literals?: readonly string[];
}

interface Selection {
  readonly kind: string;
  readonly name: string;
}

interface Replacement {
  readonly source: Selection & { readonly fieldPath: string };
  readonly targets: readonly {
    readonly select: Selection;
    readonly fieldPaths: readonly string[];
    readonly options: { readonly delimiter: string; readonly index: number };
  }[];
}

interface Kustomization {
  readonly namespace?: string;
  readonly replacements?: readonly Replacement[];
  readonly resources?: readonly string[];
  readonly components?: readonly string[];
  readonly configMapGenerator?: readonly Generator[];
  readonly secretGenerator?: readonly Generator[];
  readonly patches?: readonly {
    readonly target: Selection;
    readonly patch: string;
  }[];
}

/** The fields of a kustomization that `build` follows, and `images`, which changes only names. */
const KNOWN = [
  ...['apiVersion', 'kind', 'resources', 'components', 'configMapGenerator', 'secretGenerator', 'patches'],
  ...['namespace', 'replacements', 'images'],
];

/**
 * The objects of a kustomization, as far as this project uses kustomize: resources, components, generators, patches, the
 * namespace and replacements of parts of a text.
 *
 * @throws Error for a file that is missing, a field that it does not know, or a patch without its target
 */
export function build(folder: string, into: Manifest[] = []): Manifest[] {
  const kustomization = parse(readFileSync(path.join(folder, 'kustomization.yaml'), 'utf8')) as Kustomization;
  const unknown = Object.keys(kustomization).filter((field) => !KNOWN.includes(field));
  if (unknown.length > 0) throw new Error(`${folder}: not known here: ${unknown.join(', ')}`);
  for (const resource of kustomization.resources ?? []) {
    const target = path.join(folder, resource);
    if (statSync(target).isDirectory()) build(target, into);
    else into.push(...documentsOf(target));
  }
  for (const component of kustomization.components ?? []) build(path.join(folder, component), into);
  generate(folder, kustomization, into);
  for (const { target, patch } of kustomization.patches ?? []) {
    const manifest = find(into, target.kind, target.name);
    if (!manifest) throw new Error(`${folder}: there is no ${target.kind} ${target.name} to patch`);
    apply(manifest, parse(patch) as unknown);
  }
  if (kustomization.namespace !== undefined) putInto(kustomization.namespace, into);
  for (const replacement of kustomization.replacements ?? []) replace(replacement, into);
  return into;
}

function putInto(namespace: string, manifests: readonly Manifest[]): void {
  for (const { kind, metadata } of manifests)
    if (kind !== 'Namespace') Object.assign(metadata, { namespace });
}

function replace({ source, targets }: Replacement, manifests: readonly Manifest[]): void {
  const from = find(manifests, source.kind, source.name);
  const value = from && holderOf(from, source.fieldPath.split('.'))[lastOf(source.fieldPath)];
  if (typeof value !== 'string') throw new Error(`there is no ${source.name} to replace with`);
  for (const { select, fieldPaths, options } of targets) {
    const manifest = find(manifests, select.kind, select.name);
    for (const at of manifest ? fieldPaths : []) {
      const holder = holderOf(manifest as Manifest, at.split('.'));
      const parts = String(holder[lastOf(at)]).split(options.delimiter);
      holder[lastOf(at)] = parts.with(options.index, value).join(options.delimiter);
    }
  }
}

const holderOf = (manifest: Manifest, keys: readonly string[]) =>
  keys.slice(0, -1).reduce<Fields>((fields, key) => fields[key] as Fields, manifest);
const lastOf = (at: string) => at.split('.').pop() ?? '';

/** The documents of a file. */
export function documentsOf(file: string): Manifest[] {
  return parseAllDocuments(readFileSync(file, 'utf8')).map((document) => {
    if (document.errors.length > 0) throw new Error(`${file}: ${document.errors.join('; ')}`);
    return document.toJS() as Manifest;
  });
}

/** The object of this kind and name. */
export function find(manifests: readonly Manifest[], kind: string, name: string): Manifest | undefined {
  return manifests.find((manifest) => manifest.kind === kind && manifest.metadata.name === name);
}

function generate(folder: string, { configMapGenerator, secretGenerator }: Kustomization, into: Manifest[]) {
  const all = [
    ...(configMapGenerator ?? []).map((generator) => ({ kind: 'ConfigMap', ...generator })),
    ...(secretGenerator ?? []).map((generator) => ({ kind: 'Secret', ...generator })),
  ];
  for (const generator of all) {
    const earlier = find(into, generator.kind, generator.name);
    if ((earlier !== undefined) !== (generator.behavior === 'merge'))
      throw new Error(`${folder}: ${generator.name} is generated twice, or merged with nothing`);
    const field = generator.kind === 'Secret' ? 'stringData' : 'data';
    const data = { ...(earlier?.[field] as Fields | undefined), ...dataOf(folder, generator) };
    if (earlier) Object.assign(earlier, { [field]: data });
    else
      into.push({
        apiVersion: 'v1',
        kind: generator.kind,
        metadata: { name: generator.name },
        [field]: data,
      });
  }
}

function dataOf(folder: string, { envs = [], files = [], literals = [] }: Generator): Fields {
  const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');
  const lines = [...envs.flatMap((file) => read(file).split('\n')), ...literals];
  const data: Fields = {};
  for (const file of files) data[file] = read(file);
  for (const line of lines) {
    const at = line.indexOf('=');
    if (!line.startsWith('#') && at > 0) data[line.slice(0, at)] = line.slice(at + 1);
  }
  return data;
}

/** A list of removals (JSON patch), or an object that is merged (strategic merge: lists of named objects by their names). */
function apply(manifest: Manifest, patch: unknown): void {
  if (!Array.isArray(patch)) {
    merge(manifest, patch as Fields);
    return;
  }
  for (const { op, path: at } of patch as { op: string; path: string }[]) {
    if (op !== 'remove') throw new Error(`not known here: the patch ${op}`);
    const keys = at.split('/').slice(1);
    const last = keys.pop() ?? '';
    const holder = keys.reduce<Fields>((fields, key) => fields[key] as Fields, manifest);
    if (!(last in holder)) throw new Error(`there is no ${at} in ${manifest.metadata.name}`);
    delete holder[last];
  }
}

function merge(target: Fields, patch: Fields): void {
  for (const [key, value] of Object.entries(patch)) {
    const old = target[key];
    if (value === null) delete target[key];
    else if (Array.isArray(old)) mergeNamed(old as Fields[], value as Fields[]);
    else if (typeof old === 'object' && old !== null) merge(old as Fields, value as Fields);
    else target[key] = value;
  }
}

function mergeNamed(target: Fields[], patch: readonly Fields[]): void {
  for (const item of patch) {
    const old = target.find(({ name }) => name === item.name);
    if (old) merge(old, item);
    else target.push(item);
  }
}
