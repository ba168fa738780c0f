import type { MonitorRequest } from '@capture-service/client';
import { UNTRUSTED } from '../capture-result.js';
import type { Tool } from '../tool.js';
import { dataResult } from './data-result.js';
import { monitorItem } from './monitor-data.js';

export const CREATE_MONITOR: Tool = {
  name: 'create_monitor',
  title: 'Watch a page',
  description:
    'Watches a page on a schedule, until the monitor is deleted. Each check costs a unit of the allowance. list_checks shows what it finds.',
  isOpenWorld: true,
  needsPermission: true,
  inputSchema: () => ({
    type: 'object',
    properties: {
      name: { type: 'string' },
      schedule: {
        type: 'object',
        description: '{"every_s":3600}, or {"cron":"0 9 * * 1-5","timezone":"Europe/Paris"}.',
        properties: {
          every_s: { type: 'integer', minimum: 60 },
          cron: { type: 'string' },
          timezone: { type: 'string' },
        },
        additionalProperties: false,
      },
      capture: {
        type: 'object',
        description:
          'The options of the capture: {"url":"https://example.com/","full_page":true,"stable":true}.',
      },
      alert: {
        type: 'object',
        description: '{"min_ratio":0.002,"confirm":2,"ignore_selectors":[".clock"]}.',
      },
    },
    required: ['schedule', 'capture'],
    additionalProperties: false,
  }),
  outputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
  run: async (args, { client, signal }) => {
    // The API validates the values.
    const monitor = await client.monitors.create(args as unknown as MonitorRequest, { signal });
    return dataResult({ note: UNTRUSTED, ...monitorItem(monitor) });
  },
};
