/** Numbers of one prefix, by index. */
export type Numbers = (index: number) => string;

/** Mobile numbers of China, the default region, that begin with the given digits. They belong to one row. */
export function numbersOf(prefix: string): Numbers {
  const digits = 11 - prefix.length;
  return (index) => `+86${prefix}${String(index % 10 ** digits).padStart(digits, '0')}`;
}

/** Beginnings of mobile numbers of six other countries, with the number of digits that follow. */
const ABROAD = [
  ['+447400', 6],
  ['+79161', 6],
  ['+923001', 6],
  ['+2348031', 6],
  ['+628123', 7],
  ['+8801712', 6],
] as const;

export const PREFIXES_ABROAD: readonly string[] = ABROAD.map(([prefix]) => prefix);

export function numbersAbroad(index: number): string {
  const [prefix, digits] = ABROAD[index % ABROAD.length]!;
  return prefix + String(Math.floor(index / ABROAD.length) % 10 ** digits).padStart(digits, '1');
}

/** The given numbers of a list, by index. */
export const firstOf = (numbers: Numbers, count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => numbers(index));
