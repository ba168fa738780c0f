import { type DynamicModule, Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Env } from '@app/config';
import { dataSourceOptions } from './data-source.js';
import { DatabaseService } from './database.service.js';
import { NotificationsService } from './notifications.service.js';
import { assertReachable, databaseUrl } from './database-url.js';

/** Provides `DatabaseService` and `NotificationsService` to every library that stores something. */
@Module({
  providers: [DatabaseService, NotificationsService],
  exports: [DatabaseService, NotificationsService],
})
export class DatabaseModule {
  /**
   * Opens the connection pool of a process; imported once by each app. `name` is shown in `pg_stat_activity`, and `silenceMs`
   * is how long a statement may take.
   */
  static connect(name: string, silenceMs?: number): DynamicModule {
    return TypeOrmModule.forRootAsync({
      inject: [Env],
      useFactory: async (env: Env) => {
        const url = databaseUrl(env);
        // Nest would retry for half a minute and then fail with the stack of the driver.
        await assertReachable(url);
        return {
          ...dataSourceOptions({ url, poolSize: env.DATABASE_POOL_SIZE, name, silenceMs }),
          autoLoadEntities: true,
        };
      },
    });
  }
}
