import { mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { draftFolder } from './files.mjs';
import { systemTool } from './paths.mjs';
import { run, tied } from './processes.mjs';

const TIMEOUT_MS = 120_000;

/** Whether this is a Debian or Ubuntu, whose packages can be fetched. */
export const hasApt = () => Boolean(systemTool('apt-get') && systemTool('dpkg-deb'));

/**
 * Fetches packages of the distribution and unpacks them into `into`, without root and without installing anything: apt
 * works on lists and a cache of its own, and checks signatures as always. Rejects with apt's words.
 */
export async function unpackPackages({ packages, into, withDependencies = false }) {
  const draft = draftFolder(into);
  const apt = aptIn(path.join(draft, '.apt'));
  try {
    // One broken source among many must not stop the others; a package that is missing for it fails below.
    await apt('update').catch(() => {});
    const names = withDependencies ? await missingWith(apt, packages) : packages;
    await apt('download', ...names);
    for (const file of debsIn(apt.folder)) {
      await must(systemTool('dpkg-deb'), ['-x', path.join(apt.folder, file), draft]);
    }
    rmSync(apt.folder, { recursive: true, force: true });
    rmSync(into, { recursive: true, force: true });
    renameSync(draft, into);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

const debsIn = (folder) => readdirSync(folder).filter((file) => file.endsWith('.deb'));

function aptIn(folder) {
  for (const part of ['lists/partial', 'cache/archives/partial'])
    mkdirSync(path.join(folder, part), { recursive: true });
  const settings = {
    'Dir::State::lists': path.join(folder, 'lists'),
    'Dir::Cache': path.join(folder, 'cache'),
    'Debug::NoLocking': '1',
    'APT::Sandbox::User': 'root',
    'Acquire::Languages': 'none',
    'Acquire::Retries': '0',
    'Acquire::http::Timeout': '15',
    'Acquire::https::Timeout': '15',
  };
  const flags = ['-qq', ...Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`])];
  const apt = (...args) => must(systemTool('apt-get'), [...flags, ...args], folder);
  return Object.assign(apt, { folder });
}

// What apt would install on this machine: the packages and those of their dependencies that it lacks.
async function missingWith(apt, packages) {
  const plan = await apt('--no-install-recommends', '--print-uris', '-y', 'install', ...packages);
  return [...plan.matchAll(/^'[^']+' ([^_\s]+)_/gm)].map((match) => match[1]);
}

async function must(command, args, cwd) {
  const { code, stdout, stderr } = await run(tied(command, args), {
    cwd,
    timeoutMs: TIMEOUT_MS,
    detached: true,
  });
  if (code !== 0)
    throw new Error(`${path.basename(command)}: ${stderr.trim().split('\n').at(-1) ?? `exit code ${code}`}`);
  return stdout;
}
