/*
 * Passwords that the list of the commonest lacks. Its authors left out passwords that a pattern describes, such as
 * repeated characters, and its sources are mostly Western.
 */

const DIGITS = '0123456789';
const LETTERS = 'abcdefghijklmnopqrstuvwxyz';

/**
 * Longer passwords are also refused if the pattern is a repetition, because people repeat until a form accepts the
 * length.
 */
const LENGTHS = { min: 4, max: 12 } as const;

const KEYBOARD_ROWS = ['1234567890', 'qwertyuiop', 'asdfghjkl', 'zxcvbnm'] as const;

/** Columns of a keyboard, one after the other. */
const KEYBOARD_COLUMNS = ['1q2w3e4r5t6y7u8i9o0p', '1qaz2wsx3edc4rfv5tgb6yhn7ujm'] as const;

/** Chosen by many on Chinese sites: `5201314` sounds like 'I love you forever', `woaini` is 'I love you'. */
const CHINESE = `
  5201314 520520 5211314 521521 1314520 1314521 147258369 7758521 7758258 11223344 a123456789 aa123456 aaa123456
  abc123456 asd123456 q123456 q123456789 qq123456 qwe123456 w123456 wang123456 woaini woaini123 woaini1314 woaini520
  woaini521 woaiwojia woaiwoziji wodemima wodeaini mima123456 nihao123 nihao123456 z123456 zhang123 zhang123456
  li123456 zxc123456 1qazxsw2 1q2w3e4r5t6y 1234qwer qwer1234 admin888 admin@123 p@ssw0rd passw0rd123 pass@123
`
  .trim()
  .split(/\s+/);

/** All patterns, in lower case. Some are in the list as well. */
export function* simplePatterns(): Generator<string> {
  yield* CHINESE;
  for (const row of [...KEYBOARD_ROWS, ...KEYBOARD_COLUMNS]) yield* beginnings(row);
  for (const row of [DIGITS + DIGITS, LETTERS]) yield* runs(row);
  for (const unit of [...DIGITS, ...LETTERS]) yield* repetitions(unit);
  for (let n = 0; n < 100; n++) yield* repetitions(String(n).padStart(2, '0'));
  for (let n = 0; n < 1000; n++) yield* repetitions(String(n).padStart(3, '0'));
}

const reverse = (text: string): string => [...text].reverse().join('');

function* beginnings(row: string): Generator<string> {
  for (let length = LENGTHS.min; length <= row.length; length++) {
    yield row.slice(0, length);
    yield reverse(row.slice(0, length));
  }
}

function* runs(row: string): Generator<string> {
  for (let start = 0; start < row.length; start++) {
    for (let length = LENGTHS.min; length <= LENGTHS.max && start + length <= row.length; length++) {
      const run = row.slice(start, start + length);
      yield run;
      yield reverse(run);
    }
  }
}

function* repetitions(unit: string): Generator<string> {
  for (let length = LENGTHS.min; length <= LENGTHS.max; length++) {
    if (length % unit.length === 0 && length > unit.length) yield unit.repeat(length / unit.length);
  }
}
