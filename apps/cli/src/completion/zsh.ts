import type { CompletedCommand, Described } from './command-tree.js';

/** A completion script for zsh, for a file `_capture` in a folder of \`fpath`, or for \`source\`. */
export function zshScript(commands: readonly CompletedCommand[]): string {
  const paths = commands.map(({ path }) => path).filter((path) => path !== '');
  return `#compdef capture
# zsh completion of capture: source <(capture completion zsh)
_capture() {
  local at='' files='' word prev=\${words[CURRENT-1]}
  local -a options known values
  for word in \${words[2,CURRENT-1]}; do
    word="\${at:+$at }$word"
    case $word in
      (${paths.join('|').replaceAll(' ', '\\ ')}) at=$word ;;
    esac
  done
  case $at in
${commands.map(branch).join('\n')}
  esac
  case \${values[1]} in
    ('<file>') _files ;;
    ('<text>') _message 'value' ;;
    (?*) compadd -a values ;;
    (*)
      if [[ $PREFIX == -* ]]; then
        _describe -o option options
      else
        (( $#known )) && _describe word known
        [[ -n $files ]] && _files
      fi
      ;;
  esac
}
if [[ $funcstack[1] == _capture ]]; then _capture "$@"; else compdef _capture capture; fi
`;
}

function branch({ path, words, options, takesFiles }: CompletedCommand): string {
  const described = options.flatMap(({ flags, description }) => flags.map((name) => ({ name, description })));
  const values = options
    .filter(({ value }) => value !== 'none')
    .map(
      ({ flags, value }) =>
        `        (${flags.join('|')}) values=(${typeof value === 'string' ? `'<${value}>'` : value.join(' ')}) ;;`,
    );
  return `    ('${path}')
      known=(${words.map(item).join(' ')})
      options=(${described.map(item).join(' ')})
      files=${takesFiles ? 'yes' : "''"}
      case $prev in
${values.join('\n')}
      esac
      ;;`;
}

const item = ({ name, description }: Described): string => `'${name}:${description}'`;
