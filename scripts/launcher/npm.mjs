import { tied } from './processes.mjs';

/** The command that runs npm; inside an npm script it is the very npm that runs us, which need not be on PATH. */
export function npmCommand(flags) {
  const npm = process.env.npm_execpath;
  return npm ? tied(process.execPath, [npm, ...flags]) : tied('npm', flags);
}
