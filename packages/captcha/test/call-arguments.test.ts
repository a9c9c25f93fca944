import { describe, expect, it } from 'vitest';
import { solve } from '../src/client/index.js';
import { createCaptchas } from '../src/index.js';
import { answer, captchaWorld } from './captcha-world.js';

const { engine, options } = captchaWorld();
const calls = engine as unknown as Record<string, (argument: unknown) => Promise<unknown>>;
const solveAny = solve as (captcha: unknown, options?: unknown) => Promise<string>;

describe('arguments of calls', () => {
  it.each([
    ['issue', { kind: 'image', purpos: 'login' }, 'purpos is not an option; did you mean purpose?'],
    [
      'redeem',
      { purpose: 'login', kinds: ['image'], key: '', prof: '1' },
      'prof is not an option; did you mean proof?',
    ],
    [
      'redeem',
      { purpose: 'login', kinds: ['image'], key: '', clientIp: 7 },
      'clientIp must be a text, such as request.ip',
    ],
    ['redeem', { purpose: 'login', kinds: [], key: '' }, 'kinds must be a list of one or more of image'],
    ['issue', undefined, 'the argument must be an object with kind, purpose'],
    ['redeem', 'key', 'the argument must be an object with purpose, kinds, key, code, proof, clientIp'],
  ])('ADP-1 %s refuses %j', async (call, argument, message) => {
    const called = calls[call]?.(argument);
    await expect(called).rejects.toThrow(TypeError);
    await expect(called).rejects.toThrow(`captchas.${call}: ${message}`);
  });

  it('ADP-1 a refused redeem uses nothing up', async () => {
    const right = await answer(engine, 'image');
    await expect(calls.redeem?.({ ...right, prof: '1' })).rejects.toThrow(TypeError);
    expect(await engine.redeem(right)).toBe(true);
  });

  it('ADP-1 redeem refuses kinds of which none is issued here, as issue does', async () => {
    const bare = createCaptchas({ store: options.store });
    const redeem = bare.redeem({ purpose: 'login', kinds: ['image', 'external'], key: '' });
    await expect(redeem).rejects.toThrow('captchas.redeem: kinds must have one that is issued here: proof-of-work');
    expect(await bare.redeem({ purpose: 'login', kinds: ['image', 'proof-of-work'], key: '' })).toBe(false);
  });

  it.each([
    [{ onprogress: () => {} }, 'options.onprogress is not an option; did you mean options.onProgress?'],
    [{ onProgress: 1 }, 'options.onProgress must be a function'],
    [{ worker: {} }, 'options.worker must be a function that makes a worker'],
    [{ signal: new AbortController() }, 'options.signal must be an AbortSignal'],
    ['fast', 'options must be an object with signal, onProgress, worker'],
  ])('ADP-1 solve refuses the options %j', async (given, message) => {
    const solving = solveAny(await engine.issue({ kind: 'proof-of-work', purpose: 'login' }), given);
    await expect(solving).rejects.toThrow(TypeError);
    await expect(solving).rejects.toThrow(`solve: ${message}`);
  });

  it('ADP-1 solve says what it takes if it gets no captcha', async () => {
    for (const captcha of [undefined, null, 'key']) {
      await expect(solveAny(captcha)).rejects.toThrow('solve: captcha must be what the endpoint answered');
    }
  });
});
