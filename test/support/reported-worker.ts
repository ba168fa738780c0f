import type { INestApplicationContext } from '@nestjs/common';
import { KNOWN_FEATURES } from '@app/capture';
import { WorkerRegistryService } from '@app/jobs';
import { newId } from '@app/kernel';
import { DataSource } from 'typeorm';

/** A worker of the machine `machine` in the registry, without a process: for an hour it counts as alive. Resolves to its id. */
export async function reportWorker(app: INestApplicationContext): Promise<string> {
  const id = newId();
  await app.get(WorkerRegistryService, { strict: false }).report({
    id: nameOf(id),
    browser: 'Chrome/156.0.7000.10',
    version: '0.2.0',
    slots: 4,
    busy: 1,
    healthy: 4,
    sandbox: true,
    filterLists: [],
    features: KNOWN_FEATURES,
  });
  await app
    .get(DataSource)
    .query(`UPDATE workers SET seen_at = now() + interval '1 hour' WHERE id = $1`, [nameOf(id)]);
  return id;
}

/** The name of such a worker in rows. */
export const nameOf = (id: string): string => `machine:1:${id}`;
