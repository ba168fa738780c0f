import { Logger, Module } from '@nestjs/common';
import { Env } from '@app/config';
import { DefaultOptions } from './default-options.js';
import { readDefaultOptions } from './read-default-options.js';

/** Provides the default options that the environment sets. An invalid one stops the start. */
@Module({
  providers: [{ provide: DefaultOptions, inject: [Env], useFactory: defaultOptionsOf }],
  exports: [DefaultOptions],
})
export class DefaultOptionsModule {}

function defaultOptionsOf({ DEFAULT_OPTIONS }: Env): DefaultOptions {
  const defaults = readDefaultOptions(DEFAULT_OPTIONS);
  if (!defaults.isEmpty) {
    new Logger(DefaultOptions.name).log(`Captures have these default options: ${JSON.stringify(defaults)}`);
  }
  return defaults;
}
