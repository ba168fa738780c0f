import { VERSION, type CallOptions, type CaptureClient, type ServiceVersion } from '@capture-service/client';
import { styleText } from 'node:util';
import type { CliContext } from '../context/cli-context.js';
import { plain } from './output.js';

/** Asks the service for its version and warns when it is not that of this command line. */
export async function warnOfVersion(
  context: CliContext,
  client: CaptureClient,
  call: CallOptions = {},
): Promise<ServiceVersion> {
  const service = await client.version({ signal: context.signal, ...call });
  const warning = versionWarning(service.version);
  if (warning)
    context.stderr.write(`${styleText('yellow', 'warning:', { stream: process.stderr })} ${warning}\n`);
  return service;
}

/** What is different when the major or minor version differs; undefined when neither does. */
export function versionWarning(service: string, own: string = VERSION): string | undefined {
  const minor = (version: string): string => version.split('.').slice(0, 2).join('.');
  if (minor(service) === minor(own)) return undefined;
  return plain(
    `The service has version ${service} and this command line ${own}: options and answers may differ. Install the same version.`,
  );
}
