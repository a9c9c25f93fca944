import { it } from 'vitest';

/** `it` for the cases of a page alone, which do not depend on how requests and answers travel. */
export type PageIt = Pick<typeof it, 'each'> & ((name: string, test: () => Promise<void>, millis?: number) => void);

/** Registers no test. */
const pass: PageIt = Object.assign(() => {}, { each: () => () => {} });

/** In mode OFF `it`. With encryption these cases would prove the same again. */
export function pageTests(mode: string): PageIt {
  return mode === 'OFF' ? it : pass;
}
