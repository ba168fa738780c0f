import { ID_PATTERN } from '../resources.js';
import { SHOW_SLICES_NAME, slicesOf, slicesResult } from '../slice-result.js';
import { ToolError } from '../tool-errors.js';
import type { Tool } from '../tool.js';

/** No capture has more slices. */
const MAX_FIRST = 50;

export const SHOW_SLICES: Tool = {
  name: SHOW_SLICES_NAME,
  title: 'Show slices of a tall page',
  description: 'Shows further slices of a capture that was made with `slices`. It costs nothing.',
  isOpenWorld: false,
  inputSchema: () => ({
    type: 'object',
    properties: {
      id: { type: 'string', pattern: ID_PATTERN, description: 'Id of the capture.' },
      first: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_FIRST,
        default: 1,
        description: 'Number of the first slice to show, from 1.',
      },
    },
    required: ['id'],
    additionalProperties: false,
  }),
  run: async (args, call) => {
    const id = String(args.id);
    const record = await call.client.captures.get(id, { signal: call.signal });
    const first = Number(args.first ?? 1);
    const { length } = slicesOf(record);
    if (length === 0)
      throw new ToolError(`The capture ${id} has no slices. Capture the page with \`slices\`, such as 1568.`);
    if (first > length) throw new ToolError(`The capture ${id} has ${length} slices.`);
    return slicesResult(record, call, first);
  },
};
