import type { INestApplication } from '@nestjs/common';
import { StartupError } from '@app/kernel';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
  /** The variable that sets the port. */
  readonly variable: string;
}

/** Lets the application listen. @throws StartupError that names the variable of a port that cannot be used */
export async function listen(app: INestApplication, { host, port, variable }: ListenAddress): Promise<void> {
  try {
    await app.listen(port, host);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    const reason = REASONS.get(code ?? '');
    if (reason === undefined) throw cause;
    throw new StartupError(
      `Port ${port} on ${host} cannot be used: ${reason}. Set ${variable} to a free one.`,
      {
        cause,
      },
    );
  }
}

const REASONS = new Map([
  ['EADDRINUSE', 'another program listens there'],
  ['EACCES', 'this user may not listen there'],
  ['EADDRNOTAVAIL', 'this machine does not have the address'],
]);
