import type { CompletedCommand } from './command-tree.js';

/** A completion script for bash from 3.2 on. */
export function bashScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== '');
  return `# bash completion of capture: source <(capture completion bash)
_capture() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} path='' word i options='' words='' values='' files=''
  # The words of --format=png are --format, = and png.
  if [[ $cur == = ]]; then cur=''; elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD-2]}; fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    word="\${path:+$path }\${COMP_WORDS[i]}"
    case $word in
${paths.length > 0 ? `      ${paths.map((path) => `'${path}'`).join('|')}) path=$word ;;` : ''}
    esac
  done
  case $path in
${commands.map(branch).join('\n')}
  esac
  if [[ $values == '<file>' ]]; then
    compopt -o filenames 2>/dev/null
    COMPREPLY=($(compgen -f -- "$cur"))
  elif [[ $values == '<text>' ]]; then
    compopt +o default +o bashdefault 2>/dev/null
    COMPREPLY=()
  elif [[ -n $values ]]; then
    COMPREPLY=($(compgen -W "$values" -- "$cur"))
  elif [[ $cur == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$cur"))
  else
    # Without a match, bash completes the name of a file.
    [[ -n $files ]] || compopt +o default +o bashdefault 2>/dev/null
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
  fi
}
complete -o bashdefault -o default -F _capture capture
`;
}

function branch({ path, words, options, takesFiles }: CompletedCommand): string {
  const flags = options.flatMap((option) => option.flags).join(' ');
  const values = options
    .filter(({ value }) => value !== 'none')
    .map(
      ({ flags, value }) =>
        `        ${flags.join('|')}) values='${typeof value === 'string' ? `<${value}>` : value.join(' ')}' ;;`,
    );
  return `    '${path}')
      words='${words.map(({ name }) => name).join(' ')}'
      options='${flags}'
      files=${takesFiles ? 'yes' : "''"}
      case $prev in
${values.join('\n')}
      esac
      ;;`;
}
