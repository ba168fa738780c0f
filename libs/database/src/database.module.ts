import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Env } from '@app/config';
import { StartupError } from '@app/kernel';
import { dataSourceOptions } from './data-source.js';
import { DatabaseService } from './database.service.js';
import { NotificationsService } from './notifications.service.js';
import { assertReachable } from './reachable.js';

/** Gives `Database` and `Notifications`; each library that stores something imports it. */
@Module({
  providers: [DatabaseService, NotificationsService],
  exports: [DatabaseService, NotificationsService],
})
export class DatabaseModule {
  /**
   * The connection pool of one process, imported once by its app; `name` is shown in `pg_stat_activity`, and `silenceMs` is
   * for how long a statement may take.
   */
  static connect(name: string, silenceMs?: number): DynamicModule {
    return TypeOrmModule.forRootAsync({
      inject: [Env],
      useFactory: async (env: Env) => {
        const url = databaseUrl(env);
        // Nest would try for half a minute, and then end with the stack of the driver.
        await assertReachable(url);
        return {
          ...dataSourceOptions({ url, poolSize: env.DATABASE_POOL_SIZE, name, silenceMs }),
          autoLoadEntities: true,
        };
      },
    });
  }
}

/** @throws StartupError when DATABASE_URL is not set. */
export function databaseUrl({ DATABASE_URL }: Env): string {
  if (DATABASE_URL === undefined) {
    throw new StartupError(
      'DATABASE_URL is not set. Set it, or use `npm start`, which brings a PostgreSQL of its own.',
    );
  }
  return DATABASE_URL;
}
