import type { Command } from 'commander';
import type { CliContext } from '../cli-context.js';

export function registerBatches(_program: Command, _context: CliContext): void {}
