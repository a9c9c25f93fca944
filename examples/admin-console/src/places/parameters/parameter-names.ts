import { type Parameter, textIn } from './parameter.js';

/**
 * Puts the labels of parameters for the ends of their keys, by which a sentence of the service names those of the same
 * group: `min-length must not exceed max-length`.
 */
export function withLabels(
  sentence: string,
  { key }: Pick<Parameter, 'key'>,
  parameters: readonly Pick<Parameter, 'key' | 'texts'>[],
  language: string,
): string {
  const group = key.slice(0, key.lastIndexOf('.') + 1);
  const labels = new Map(
    parameters.flatMap((each) =>
      each.key.startsWith(group) ? [[each.key.slice(group.length), textIn(language, each.texts)] as const] : [],
    ),
  );
  return sentence.replace(/ ?([a-z]+(?:-[a-z]+)+) ?/g, (found, word: string) => {
    const label = labels.get(word);
    if (label === undefined) return found;
    return language === 'en' ? found.replace(word, `“${label}”`) : `「${label}」`;
  });
}
