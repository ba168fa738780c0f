import { spawn } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { dataFolder } from '../../apps/launcher/src/data-folder.mjs';
import { provideTool } from '../../apps/launcher/src/apt.mjs';
import { end, run, tied } from '../../apps/launcher/src/processes.mjs';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

export const USER = 'ada';
export const PASSWORD = 'correct horse battery';

/** An application that others have written, on loopback, with a user who may log in. */
export interface RealApplication {
  readonly url: string;
  readonly port: number;
  /** Forgets everybody who has logged in, as the end of their sessions would. */
  endSessions(): void;
  close(): Promise<void>;
}

const PACKAGES = {
  dokuwiki: ['dokuwiki', 'php8.2-cli', 'php8.2-xml'],
  django: ['python3-django'],
} as const;

/** The folder with the Debian packages of an application, which the first run fetches; undefined where there is no Debian. */
export async function findApplication(name: keyof typeof PACKAGES): Promise<string | undefined> {
  const into = path.join(dataFolder(), 'tools', name);
  const options = { packages: [...PACKAGES[name]], file: '.', into, withDependencies: true };
  return (await provideTool(options)) && into;
}

/** DokuWiki (PHP): forms with tokens against forgery, and a session of PHP in a cookie that scripts cannot read. */
export async function startDokuWiki(tool: string): Promise<RealApplication> {
  const folder = mkdtempSync(path.join(os.tmpdir(), `capture-test-${process.pid}-dokuwiki-`));
  const php = phpIn(tool, folder);
  const wiki = path.join(folder, 'wiki');
  copyWiki(tool, wiki);
  await writeWiki(wiki, php);
  return start(folder, {
    ...php,
    words: (port) => [...php.words, '-S', `127.0.0.1:${port}`, '-t', wiki],
    endSessions: () => {
      emptyFolder(path.join(folder, 'sessions'));
      // The key of the cookie with which the wiki would log in again.
      rmSync(path.join(wiki, 'data/meta/_htcookiesalt2'), { force: true });
    },
  });
}

interface Program {
  readonly command: string;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

const EXTENSIONS = ['ctype', 'iconv', 'tokenizer', 'dom', 'simplexml', 'xml', 'posix'];

function phpIn(tool: string, folder: string): Program {
  mkdirSync(path.join(folder, 'sessions'));
  const settings = {
    extension_dir: path.join(tool, 'usr/lib/php/20220829'),
    'session.save_path': path.join(folder, 'sessions'),
    'date.timezone': 'UTC',
  };
  const flags = [
    ...Object.entries(settings).map((each) => each.join('=')),
    ...EXTENSIONS.map((name) => `extension=${name}`),
  ];
  return {
    command: path.join(tool, 'usr/bin/php8.2'),
    words: ['-n', ...flags.flatMap((flag) => ['-d', flag])],
    env: { LD_LIBRARY_PATH: path.join(tool, 'usr/lib/x86_64-linux-gnu') },
  };
}

/** Debian puts the parts of the wiki in several places, to which its links are absolute. */
function copyWiki(tool: string, wiki: string): void {
  const isPart = (file: string): boolean =>
    !/\/(?:lib\/(?:plugins|tpl)|\.htaccess|inc\/preload\.php)$/.test(file);
  cpSync(path.join(tool, 'usr/share/dokuwiki'), wiki, { recursive: true, filter: isPart });
  const state = path.join(tool, 'var/lib/dokuwiki');
  for (const part of ['plugins', 'tpl'])
    cpSync(path.join(state, 'lib', part), path.join(wiki, 'lib', part), {
      recursive: true,
      dereference: true,
    });
  cpSync(path.join(state, 'data'), path.join(wiki, 'data'), { recursive: true });
  const settings = path.join(tool, 'etc/dokuwiki');
  for (const name of readdirSync(settings).filter((each) => /\.(?:conf|php|css|json)$/.test(each))) {
    if (existsSync(path.join(settings, name)))
      cpSync(path.join(settings, name), path.join(wiki, 'conf', name), { dereference: true });
  }
  const classes = path.join(wiki, 'vendor/composer/autoload_static.php');
  writeFileSync(
    classes,
    readFileSync(classes, 'utf8').replaceAll("'/usr/share/php", `'${tool}/usr/share/php`),
  );
}

/** A user, and a page that only users may read. */
async function writeWiki(wiki: string, { command, words, env }: Program): Promise<void> {
  const script = `echo password_hash(${JSON.stringify(PASSWORD)}, PASSWORD_BCRYPT);`;
  const { stdout: hash } = await run(
    { command, args: [...words, '-r', script] },
    { env: { ...process.env, ...env } },
  );
  const settings = { savedir: './data', useacl: 1, title: 'Wiki', superuser: USER };
  const lines = Object.entries(settings).map(
    ([name, value]) => `$conf['${name}'] = ${JSON.stringify(value)};`,
  );
  writeFileSync(path.join(wiki, 'conf/local.php'), `<?php\n${lines.join('\n')}\n`);
  writeFileSync(
    path.join(wiki, 'conf/users.auth.php'),
    `${USER}:${hash}:Ada Lovelace:ada@example.com:user\n`,
  );
  writeFileSync(path.join(wiki, 'conf/acl.auth.php'), '* @ALL 0\n* @user 8\n');
  writeFileSync(path.join(wiki, 'data/pages/orders.txt'), '====== Orders ======\n\nTwo books.\n');
}

/** The administration of Django (Python): forms with tokens against forgery, and a session in a cookie that scripts cannot read. */
export async function startDjango(tool: string): Promise<RealApplication> {
  const folder = mkdtempSync(path.join(os.tmpdir(), `capture-test-${process.pid}-django-`));
  mkdirSync(path.join(folder, 'sessions'));
  const script = 'test/support/django-site.py';
  const env = {
    PYTHONPATH: path.join(tool, 'usr/lib/python3/dist-packages'),
    DJANGO_SUPERUSER_PASSWORD: PASSWORD,
    SITE_FOLDER: folder,
  };
  const command = '/usr/bin/python3';
  for (const words of [
    ['migrate', '--verbosity', '0'],
    ['createsuperuser', '--noinput', '--username', USER, '--email', 'ada@example.com', '--verbosity', '0'],
  ]) {
    const { code, stderr } = await run(
      { command, args: [script, ...words] },
      { env: { ...process.env, ...env } },
    );
    if (code !== 0) throw new Error(stderr);
  }
  return start(folder, {
    command,
    env,
    words: (port) => [script, 'runserver', '--noreload', `127.0.0.1:${port}`],
    endSessions: () => {
      emptyFolder(path.join(folder, 'sessions'));
    },
  });
}

interface Starting extends Omit<Program, 'words'> {
  readonly words: (port: number) => readonly string[];
  readonly endSessions: () => void;
}

async function start(
  folder: string,
  { command, words, env, endSessions }: Starting,
): Promise<RealApplication> {
  const port = await freePort();
  const program = tied(command, [...words(port)]);
  const child = spawn(program.command, program.args, {
    env: { ...process.env, ...env },
    stdio: 'ignore',
    detached: true,
  });
  const url = `http://127.0.0.1:${port}`;
  const answers = (): Promise<boolean> =>
    fetch(url).then(
      () => true,
      () => false,
    );
  await eventually(`${command} answers`, answers);
  return {
    url,
    port,
    endSessions,
    close: async () => {
      await end(child, { signal: 'SIGTERM', graceMs: 5_000 });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function emptyFolder(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(path.join(folder, name));
}
