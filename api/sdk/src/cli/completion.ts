import { globalFlags } from './arguments.ts';
import { UsageError, type Command } from './command.ts';

const shells = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof shells)[number];
const isShell = (name: string): name is Shell => shells.some((shell) => shell === name);

/** Words that may follow `quayside`, and behind each its options. */
type Vocabulary = { name: string; summary: string; flags: { name: string; about: string }[] }[];

/** The script that completes commands and their options, for the shells that have one. */
export const completionCommand = (commands: () => readonly Command[]): Command => ({
  name: 'completion',
  summary: 'a script that completes commands: source <(quayside completion bash)',
  positionals: shells.join('|'),
  arity: [1, 1],
  flags: {},
  run: async (_context, _values, [shell = '']) => {
    if (!isShell(shell)) throw new UsageError(`There is completion for ${shells.join(', ')}.`);
    process.stdout.write(renderCompletion(shell, vocabularyOf(commands())));
  },
});

const vocabularyOf = (commands: readonly Command[]): Vocabulary =>
  commands.map(({ name, summary, flags }) => ({
    name,
    summary,
    flags: Object.entries({ ...flags, ...globalFlags }).map(([flag, { about }]) => ({ name: `--${flag}`, about })),
  }));

function renderCompletion(shell: Shell, vocabulary: Vocabulary): string {
  if (shell === 'bash') return renderBash(vocabulary);
  return shell === 'zsh' ? renderZsh(vocabulary) : renderFish(vocabulary);
}

const renderBash = (vocabulary: Vocabulary): string => `_quayside() {
  local word=\${COMP_WORDS[COMP_CWORD]} words
  case \${COMP_WORDS[1]} in
${vocabulary.map(({ name, flags }) => `    ${name}) words='${flags.map((flag) => flag.name).join(' ')}' ;;`).join('\n')}
  esac
  [ "$COMP_CWORD" -eq 1 ] && words='${vocabulary.map(({ name }) => name).join(' ')}'
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o default -F _quayside quayside
`;

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
const described = ({ name, about }: { name: string; about: string }): string =>
  quoted(`${name}:${about.replaceAll(':', ' ')}`);

const renderZsh = (vocabulary: Vocabulary): string => `#compdef quayside
_quayside() {
  local -a choices
  if (( CURRENT == 2 )); then
    choices=(${vocabulary.map(({ name, summary }) => described({ name, about: summary })).join(' ')})
    _describe command choices
    return
  fi
  case $words[2] in
${vocabulary.map(({ name, flags }) => `    ${name}) choices=(${flags.map(described).join(' ')}) ;;`).join('\n')}
  esac
  _describe option choices
  _files
}
compdef _quayside quayside
`;

const renderFish = (vocabulary: Vocabulary): string =>
  vocabulary
    .flatMap(({ name, summary, flags }) => [
      `complete -c quayside -n __fish_use_subcommand -a ${name} -d ${quoted(summary)}`,
      ...flags.map(
        (flag) =>
          `complete -c quayside -n '__fish_seen_subcommand_from ${name}' -l ${flag.name.slice(2)} -d ${quoted(flag.about)}`,
      ),
    ])
    .map((line) => `${line}\n`)
    .join('');
