import { compose } from '@app/kernel';
import { BrowserEnv } from './env/browser.env.js';
import { DataEnv } from './env/data.env.js';
import { EgressEnv } from './env/egress.env.js';
import { InterfaceEnv } from './env/interface.env.js';
import { OperationEnv } from './env/operation.env.js';
import { ResultEnv } from './env/result.env.js';
import { ServerEnv } from './env/server.env.js';
import { SignOnEnv } from './env/sign-on.env.js';
import { TracingEnv } from './env/tracing.env.js';

/** The variables by subject, in the order of the documents. */
export const SUBJECTS = {
  server: ServerEnv,
  data: DataEnv,
  operation: OperationEnv,
  tracing: TracingEnv,
  browser: BrowserEnv,
  egress: EgressEnv,
  results: ResultEnv,
  interfaces: InterfaceEnv,
  sign_on: SignOnEnv,
} as const;
export type Subject = keyof typeof SUBJECTS;

/**
 * Every environment variable with its rule, default and description, by subject in the folder env. `.env.example` and
 * docs/configuration.md are generated from this class; only load-env.ts reads the environment of the process.
 */
export class Env extends compose('Settings', Object.values(SUBJECTS)) {}
