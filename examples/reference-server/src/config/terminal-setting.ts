import { listOf, SettingFault, type SettingType, text } from './setting-types.js';

/** Each terminal has separate counters for every name, so a long list allows more guesses. */
const MAX_TERMINALS = 16;

const terminal = text(
  'terminal, such as web',
  /^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$/,
  'write 1 to 32 letters, digits, hyphens or underscores for each, a letter or digit first',
);

/** Terminals in lower case: the letter case of a terminal does not matter (LGN-4, LGN-13). */
export const terminals: SettingType<readonly string[]> = {
  name: listOf(terminal).name,
  read(value) {
    const names = listOf(terminal)
      .read(value)
      .map((name) => name.toLowerCase());
    if (new Set(names).size < names.length || names.length > MAX_TERMINALS) {
      throw new SettingFault(
        'has an entry twice (letter case does not matter), or too many',
        `write 1 to ${MAX_TERMINALS}, each once`,
      );
    }
    return names;
  },
};
