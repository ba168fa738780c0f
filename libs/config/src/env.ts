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

/**
 * Every environment variable with its rule, default and description, by subject in the folder env. `.env.example` and
 * docs/configuration.md are generated from this class; only load-env.ts reads the environment of the process.
 */
export class Env extends compose('Settings', [
  ServerEnv,
  DataEnv,
  OperationEnv,
  TracingEnv,
  BrowserEnv,
  EgressEnv,
  ResultEnv,
  InterfaceEnv,
  SignOnEnv,
]) {}
