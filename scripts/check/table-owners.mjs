/**
 * The library that each table belongs to: only its SQL may name the table. A library above it calls a method of the owner,
 * or inserts a fragment of SQL that the owner exports where two calls would lose a snapshot or a join.
 */
export const TABLE_OWNERS = {
  audit: ['audit_events'],
  auth: ['api_keys', 'console_log_ins', 'console_session_keys', 'signing_secrets'],
  bulk: ['batches'],
  health: ['health_changes'],
  jobs: [
    'cache_entries',
    'capture_files',
    'idempotency_keys',
    'job_days',
    'job_hours',
    'job_hours_stale',
    'job_hours_summed',
    'job_orphaned_files_swept',
    'jobs',
    'shared_files',
    'workers',
  ],
  crawls: ['crawl_pages', 'crawl_robots', 'crawls'],
  monitors: ['monitor_checks', 'monitor_pages', 'monitors'],
  sessions: ['sessions'],
  usage: ['accounts', 'concurrency_slots', 'rate_buckets', 'usage_counters', 'usage_ledger'],
  webhooks: ['webhook_deliveries', 'webhook_secrets', 'webhook_stops'],
};

/**
 * A house rule for each owner, which finds its tables in SQL and in entities.
 *
 * @param tests patterns of files that may name any table
 */
export const tableRules = (tests) =>
  Object.fromEntries(
    Object.entries(TABLE_OWNERS).map(([library, tables]) => {
      const names = tables.join('|');
      const sql = `/\\b(FROM|JOIN|INTO|UPDATE|USING|TABLE)\\s+(ONLY\\s+)?(${names})\\b/`;
      return [
        `tables-of-${library}`,
        {
          selector: [
            `TemplateElement[value.raw=${sql}]`,
            `Literal[value=${sql}]`,
            `Decorator > CallExpression[callee.name="Entity"] > Literal[value=/^(${names})$/]`,
          ],
          message: `The table belongs to libs/${library}: call one of its methods, or use a fragment of SQL that it exports. The owner may change its columns at any time.`,
          files: ['apps/**', 'libs/**'],
          except: [`libs/${library}/**`, 'libs/database/src/migrations/**', ...tests],
        },
      ];
    }),
  );
