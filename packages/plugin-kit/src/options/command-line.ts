import { type ParseArgsConfig, parseArgs } from 'node:util';
import { closestName } from './closest-name.js';

type CommandOptions = NonNullable<ParseArgsConfig['options']>;

/** The options and words of a command. */
export interface CommandLineRules<Options extends CommandOptions> {
  /** As for `parseArgs` of `node:util`. */
  readonly options: Options;
  /** The words that are not options. `any` leaves them to the caller. Default: none. */
  readonly words?: readonly string[] | 'any';
  /** A hint for a name that the command does not know. Null: the nearest option is suggested. */
  readonly insteadOf?: (name: string) => string | null;
}

type ParsedCommandLine<Options extends CommandOptions> = Pick<
  ReturnType<typeof parseArgs<{ options: Options; allowPositionals: true }>>,
  'values' | 'positionals'
>;

/**
 * Reads the arguments of a command. An unknown option or word is refused with the nearest known one. A `--` in front,
 * which package managers pass on, is skipped.
 *
 * @param argv without the program: `process.argv.slice(2)`
 * @throws TypeError, with one sentence. It does not repeat a word that is unlike all known ones, because it may be a
 * secret.
 */
export function readCommandLine<const Options extends CommandOptions>(
  argv: readonly string[],
  rules: CommandLineRules<Options>,
): ParsedCommandLine<Options> {
  const args = argv[0] === '--' ? argv.slice(1) : [...argv];
  const fault = firstFault(args, rules);
  if (fault !== null) throw new TypeError(fault);
  return parseArgs({ args, options: rules.options, allowPositionals: true });
}

/** Why a word is refused, with the nearest known one. For words that the caller of {@link readCommandLine} checks. */
export function unknownWordFault(word: string, known: readonly string[]): string {
  const meant = nearestWord(word, known);
  return meant === null ? `Expected one of ${known.join(', ')}` : `${word} is not known; did you mean ${meant}?`;
}

function firstFault(args: string[], rules: CommandLineRules<CommandOptions>): string | null {
  const { words = [] } = rules;
  const { tokens } = parseArgs({ args, options: rules.options, strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    if (token.kind === 'option') {
      const option = Object.hasOwn(rules.options, token.name) ? rules.options[token.name] : undefined;
      if (option === undefined) return unknownOptionFault(args[token.index]!, rules);
      if (option.type === 'boolean' && token.value !== undefined) return `--${token.name} takes no value`;
      if (option.type === 'string' && !hasValue(token)) return `--${token.name} needs a value`;
    }
    if (token.kind === 'positional' && words !== 'any' && !words.includes(token.value)) {
      return unexpectedWordFault(token.value, token.index + 1, words, rules);
    }
  }
  return null;
}

/** `--url --json` has no value; `--url=--json` has one. */
function hasValue({ value, inlineValue }: { value: string | undefined; inlineValue: boolean | undefined }): boolean {
  return value !== undefined && (inlineValue === true || !/^-./.test(value));
}

/** @param argument as written: `--ulr`, `--ulr=x`, or `-url`, which `parseArgs` takes for three options */
function unknownOptionFault(argument: string, rules: CommandLineRules<CommandOptions>): string {
  const name = argument.replace(/^-+/, '').replace(/=.*$/s, '');
  const written = argument.slice(0, argument.indexOf(name) + name.length);
  return `${written} is not an option; ${hintFor(name, rules) ?? listOf(rules)}`;
}

function unexpectedWordFault(
  word: string,
  position: number,
  words: readonly string[],
  rules: CommandLineRules<CommandOptions>,
): string {
  const meant = nearestWord(word, words);
  const hint = meant === null ? hintFor(word.replace(/=.*$/s, ''), rules) : `did you mean ${meant}?`;
  if (hint !== null) return `${word.replace(/=.*$/s, '')} is not expected here; ${hint}`;
  const known = words.length === 0 ? '' : `the words are ${words.join(', ')}, and `;
  return `Argument ${position} is not expected; ${known}${listOf(rules)}`;
}

function hintFor(name: string, { options, insteadOf }: CommandLineRules<CommandOptions>): string | null {
  const meant = nearestWord(name, Object.keys(options));
  const other = meant === name ? null : (insteadOf?.(name) ?? null);
  if (other !== null) return other;
  return meant === null ? null : `did you mean --${meant}?`;
}

function listOf({ options }: CommandLineRules<CommandOptions>): string {
  return `the options are ${Object.keys(options)
    .map((name) => `--${name}`)
    .join(', ')}`;
}

/** Words of a command line are short, so swapped letters are also looked for. */
function nearestWord(word: string, known: readonly string[]): string | null {
  return closestName(word, known) ?? known.find((other) => isSwapOf(word, other)) ?? null;
}

/** Two swapped letters, such as `ulr` for `url`. They count as two edits, which is too many for a short name. */
function isSwapOf(given: string, other: string): boolean {
  const at = [...given].findIndex((letter, index) => letter !== other[index]);
  const swapped = given.slice(0, at) + (given[at + 1] ?? '') + given[at] + given.slice(at + 2);
  return at !== -1 && swapped === other;
}
