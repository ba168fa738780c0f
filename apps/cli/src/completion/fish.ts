import type { CompletedCommand, CompletedOption } from './command-tree.js';

/** A completion script for fish. */
export function fishScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== '');
  return `# fish completion of capture: capture completion fish | source
function __capture_at --description 'Whether the command so far is this one'
    set -l at ''
    for word in (commandline -opc)[2..-1]
        set -l next (string trim -- "$at $word")
        contains -- $next ${paths.map((path) => `'${path}'`).join(' ')}; and set at $next
    end
    test "$at" = "$argv[1]"
end
${commands.map(linesOf).join('\n')}
`;
}

function linesOf({ path, words, options, takesFiles }: CompletedCommand): string {
  const start = `complete -c capture -n "__capture_at '${path}'"`;
  return [
    ...(takesFiles ? [] : [`${start} -f`]),
    ...words.map(({ name, description }) => `${start} -a ${name} -d '${description}'`),
    ...options.map((option) => `${start} ${flagsOf(option)}${valueOf(option)} -d '${option.description}'`),
  ].join('\n');
}

const flagsOf = ({ flags }: CompletedOption): string =>
  flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`)).join(' ');

function valueOf({ value }: CompletedOption): string {
  if (value === 'none') return '';
  if (value === 'file') return ' -r -F';
  return value === 'text' ? ' -x' : ` -x -a '${value.join(' ')}'`;
}
