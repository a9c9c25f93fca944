/** The scripts of UAX #31, table 5, which are in everyday use. What has others is below every level here. */
const SCRIPTS = [
  ...[
    'Arabic',
    'Armenian',
    'Bengali',
    'Bopomofo',
    'Cyrillic',
    'Devanagari',
    'Ethiopic',
    'Georgian',
    'Greek',
    'Gujarati',
  ],
  ...['Gurmukhi', 'Han', 'Hangul', 'Hebrew', 'Hiragana', 'Kannada', 'Katakana', 'Khmer', 'Lao', 'Latin', 'Malayalam'],
  ...['Myanmar', 'Oriya', 'Sinhala', 'Tamil', 'Telugu', 'Thaana', 'Thai', 'Tibetan'],
];

/** Japanese, Chinese and Korean are written with Latin letters among their own. */
const MIXTURES = [
  ['Latin', 'Han', 'Hiragana', 'Katakana'],
  ['Latin', 'Han', 'Bopomofo'],
  ['Latin', 'Han', 'Hangul'],
];

const allowed = [...SCRIPTS.map((script) => [script]), ...MIXTURES].map((scripts) => {
  const classes = ['Common', 'Inherited', ...scripts].map((script) => `\\p{Script_Extensions=${script}}`);
  return new RegExp(`^[${classes.join('')}]*$`, 'u');
});

/**
 * Whether the scripts of a name are those of the level 'Highly Restrictive' of UTS #39, section 5.2: one script, or
 * Latin with Japanese, Chinese or Korean. A name that mixes others, as Latin with Cyrillic, may look like another one.
 */
export function isHighlyRestrictive(name: string): boolean {
  const text = name.normalize('NFKC');
  return allowed.some((scripts) => scripts.test(text));
}
