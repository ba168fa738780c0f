import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Slots held by leases, apart from counters: accepting and ending a capture lock counters and slots in different orders. */
export class LeaseSlots1795000000022 implements MigrationInterface {
  name = 'LeaseSlots1795000000022';

  async up(runner: QueryRunner): Promise<void> {
    // `held_until` is renewed while a worker has the job; `free_by` is the latest time at which the slot becomes free.
    await runner.query(`
      ALTER TABLE concurrency_slots
        ADD COLUMN held_since timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
        ADD COLUMN free_by timestamptz(3) NOT NULL DEFAULT clock_timestamp()`);
    await runner.query(`UPDATE concurrency_slots SET free_by = held_until`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`ALTER TABLE concurrency_slots DROP COLUMN held_since, DROP COLUMN free_by`);
  }
}
