/** Lints docs/openapi.json by the rules of redocly.yaml, without the network. */
import path from 'node:path';
import { root } from '../../apps/launcher/src/data-folder.mjs';
import { run } from '../../apps/launcher/src/processes.mjs';

const CLI = path.join(root, 'node_modules/@redocly/cli/bin/cli.js');
const OFFLINE = { REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };

const args = [CLI, 'lint', 'docs/openapi.json', '--config=redocly.yaml', '--format=stylish'];
const command = { command: process.execPath, args };
const { code, stdout, stderr } = await run(command, { cwd: root, env: { ...process.env, ...OFFLINE } });
if (code !== 0) {
  console.log(`${stdout}${stderr}`);
  process.exitCode = 1;
}
