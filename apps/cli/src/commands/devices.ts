import type { Command } from 'commander';
import type { CliContext } from '../context/cli-context.js';
import { addCommand } from '../context/global-options.js';
import { printList } from '../terminal/output.js';

/** `capture devices`. */
export function registerDevices(program: Command, context: CliContext): void {
  addCommand(program, 'devices', 'devices for --device').action(async () => {
    const devices = await context.client().devices({ signal: context.signal });
    await printList(context, devices, [
      { title: 'ID', of: ({ id }) => id },
      { title: 'NAME', of: ({ name }) => name },
      { title: 'CATEGORY', of: ({ category }) => category },
      {
        title: 'VIEWPORT',
        of: (device) => `${device.viewport_width} × ${device.viewport_height}`,
        right: true,
      },
      { title: 'SCALE', of: (device) => device.device_scale_factor, right: true },
    ]);
  });
}
