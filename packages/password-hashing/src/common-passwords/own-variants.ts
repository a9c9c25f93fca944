/** A longer name is cut, because nobody uses so long a name as a password. */
const MAX_NAME_LENGTH = 64;

/** The minimum length of a part. With shorter parts, such as initials, good passwords would be refused. */
const MIN_PART_LENGTH = 3;

/** The maximum number of parts, as in `first.middle.last@example.com`. It bounds the work for one name. */
const MAX_PARTS = 3;

/**
 * A longer form is refused itself, but not extended, because with a suffix it is longer than pages allow by default.
 */
const MAX_EXTENDED_LENGTH = 28;

/** The shortest ending of a number that people choose: the last six digits. */
const MIN_NUMBER_LENGTH = 6;

/** E.164: at most 15 digits. */
const MAX_NUMBER_LENGTH = 15;

const SUFFIXES = [
  ...['!', '.', '#', '@', '_', '1!', '123!', '1234!', '@123', '@1234', '@123456', '#123', '#1', '_123', '-123'],
  ...['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '00', '01', '10', '11', '12', '007', '99', '88', '66', '69'],
  ...['111', '123', '321', '520', '521', '666', '777', '888', '999', '000', '1234', '4321', '1314', '12345', '123456'],
  ...['1234567', '12345678', '123456789', '5201314', '111111', '888888', 'abc', 'abc123', 'qwe', 'admin'],
];

const PREFIXES = ['1', '12', '123', '1234', '123456', 'abc', 'abc123', 'qwe', 'admin', 'my', 'i', 'the', '@', '!', '#'];

/** The first year that is appended, for the birth years of today's users. */
const FIRST_YEAR = 1940;

const LEET: Readonly<Record<string, string>> = { a: '@', e: '3', i: '1', o: '0', s: '$', t: '7' };
const LEET_DIGITS: Readonly<Record<string, string>> = { ...LEET, a: '4', s: '5' };

const replaceLetters = (text: string, by: Readonly<Record<string, string>>) =>
  text.replace(/[aeiost]/g, (letter) => by[letter] ?? letter);

const capitalise = (text: string) => {
  const [first = '', ...rest] = text;
  return first.toUpperCase() + rest.join('');
};

const partsOf = (text: string): string[] => text.split(/[^\p{L}\p{M}\p{N}]+/u).filter((part) => part !== '');

/** The name, its parts, and the parts before an @ joined in either order, as they are written. */
function namesIn(username: string): string[] {
  const name = [...username.normalize('NFKC').trim()].slice(0, MAX_NAME_LENGTH).join('');
  const beforeAt = name.split('@', 1)[0] ?? '';
  const own = partsOf(beforeAt);
  const parts = partsOf(name).filter((part) => [...part].length >= MIN_PART_LENGTH);
  const together = [own, own.toReversed()].flatMap((order) => [order.join(''), order.map(capitalise).join('')]);
  const names = [name, beforeAt, ...together, ...parts.slice(0, MAX_PARTS)];
  return [...new Set(names)].filter((text) => text !== '');
}

/** The ways in which people write a name. */
function formsOf(name: string): string[] {
  const lower = name.toLowerCase();
  const reversed = [...lower].reverse().join('');
  const leet = [LEET, LEET_DIGITS].flatMap((by) => [replaceLetters(lower, by), capitalise(replaceLetters(lower, by))]);
  const plain = [name, lower, capitalise(lower), lower.toUpperCase()];
  return [...new Set([...plain, reversed, capitalise(reversed), lower + lower, ...leet])];
}

/**
 * Passwords that are made from the user's own name: the name, its parts, and the joined parts; as written, in lower and
 * upper case, capitalised, reversed, doubled, with `@3104$5` for letters; each alone, after a common prefix and before
 * a common suffix, such as `123`, `!` and `@2026`.
 */
export function* nameVariants(username: string, year: number): Generator<string> {
  const names = namesIn(username);
  const forms = new Set(names.flatMap(formsOf));
  yield* forms;
  for (const form of forms) {
    if (form.length > MAX_EXTENDED_LENGTH) continue;
    for (const suffix of SUFFIXES) yield form + suffix;
    for (const prefix of PREFIXES) yield prefix + form;
  }
  for (const form of new Set(names.flatMap((name) => [name, name.toLowerCase(), capitalise(name.toLowerCase())]))) {
    if (form.length > MAX_EXTENDED_LENGTH) continue;
    for (let end = FIRST_YEAR; end <= year + 1; end++) {
      yield form + end;
      yield `${form}${end}!`;
      yield `${form}@${end}`;
    }
  }
}

/**
 * Passwords that are made from the user's own number: every ending of six digits and more (such as the last six, the
 * last eight, the number without and with its country code), with a leading zero, and reversed; and the whole number as
 * dialled from abroad, after `+` and `00`.
 */
export function* numberVariants(mobile: string): Generator<string> {
  const digits = mobile.replaceAll(/\D/g, '').slice(-MAX_NUMBER_LENGTH);
  for (let length = MIN_NUMBER_LENGTH; length <= digits.length; length++) {
    const ending = digits.slice(-length);
    yield* [ending, `0${ending}`, [...ending].reverse().join('')];
  }
  yield `+${digits}`;
  yield `00${digits}`;
}
