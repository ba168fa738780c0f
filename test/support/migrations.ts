import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../libs/database/src/data-source.js';
import { MIGRATIONS } from '../../libs/database/src/index.js';

/** Reverts the migration of this name and all later ones. */
export async function revertTo(url: string, name: string): Promise<void> {
  const source = new DataSource(dataSourceOptions({ url, poolSize: 1, name: 'test' }));
  await source.initialize();
  try {
    const last = MIGRATIONS.findIndex((migration) => migration.name.startsWith(name));
    for (const _ of MIGRATIONS.slice(last)) await source.undoLastMigration();
  } finally {
    await source.destroy();
  }
}
