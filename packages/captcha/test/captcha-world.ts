import { createMemoryStore } from '@sallyport/ttl-store';
import { type CaptchaKind, type Captchas, type CaptchasOptions, createCaptchas } from '../src/index.js';

/** A proof that costs an evaluation for each puzzle: quick to make. */
export const CHEAP = { cost: 2, puzzles: 2, memoryMebibytes: 1 } as const;

/** An engine whose pictures can be read, over a store with a clock that the test moves. */
export function captchaWorld(given: Partial<CaptchasOptions> = {}) {
  const clock = { time: 1_000_000 };
  const texts: string[] = [];
  const store = createMemoryStore({ now: () => clock.time });
  const renderer = async (text: string) => {
    texts.push(text);
    return { image: `data:text/plain,${text}` };
  };
  const external = { verify: ({ token }: { token: string }) => token === 'right' };
  const options: CaptchasOptions = { store, renderer, proofOfWork: CHEAP, external, ...given };
  return { clock, store, texts, options, engine: createCaptchas(options) };
}

export const KINDS: readonly CaptchaKind[] = ['image', 'proof-of-work', 'both', 'external'];

/** Answers any captcha right. */
export async function answer(engine: Captchas, kind: CaptchaKind, purpose = 'login') {
  const { solve } = await import('../src/client/index.js');
  const captcha = await engine.issue({ kind, purpose });
  const code = captcha.image?.split(',')[1];
  const proof = captcha.challenge === undefined ? undefined : await solve(captcha);
  return { purpose, kinds: [kind], key: captcha.key, code, proof: kind === 'external' ? 'right' : proof };
}
