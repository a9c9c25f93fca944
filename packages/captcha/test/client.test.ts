import { describe, expect, it } from 'vitest';
import { CaptchaSolveError, type SolveProgress, type SolveWorker, solve } from '../src/client/index.js';
import { captchaWorld } from './captcha-world.js';

const issue = (cost = 2) =>
  captchaWorld({ proofOfWork: { cost, puzzles: 2, memoryMebibytes: 1 } }).engine.issue({
    kind: 'proof-of-work',
    purpose: 'login',
  });

/** A worker that the test plays. */
function fakeWorker(play: (worker: SolveWorker & { reply(data: unknown): void }, request: unknown) => void) {
  const state = { ended: 0 };
  const make = () => {
    const worker = {
      onmessage: null as SolveWorker['onmessage'],
      onerror: null as SolveWorker['onerror'],
      postMessage: (request: unknown) => queueMicrotask(() => play(worker, request)),
      terminate() {
        state.ended += 1;
      },
      reply: (data: unknown) => worker.onmessage?.({ data } as never),
    };
    return worker;
  };
  return { state, make };
}

describe('solve', () => {
  it('CAP-1 leaves the event loop free between evaluations, and tells how far it is', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 1);
    const seen: SolveProgress[] = [];
    await solve(await issue(16), { onProgress: (progress) => seen.push(progress) });
    clearInterval(timer);
    expect(seen.map(({ evaluations }) => evaluations)).toEqual(seen.map((_, i) => i + 1));
    expect(seen.at(-1)).toMatchObject({ solved: 2, puzzles: 2 });
    expect(turns).toBeGreaterThan(seen.length / 3);
  });

  it('CAP-1 ends at once when its signal aborts', async () => {
    const captcha = await issue(100_000);
    const controller = new AbortController();
    const reason = new Error('closed');
    const running = solve(captcha, { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 20);
    await expect(running).rejects.toBe(reason);
    await expect(solve(captcha, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const { make, state } = fakeWorker(() => {});
    const other = new AbortController();
    const inWorker = solve(captcha, { signal: other.signal, worker: make });
    other.abort(reason);
    await expect(inWorker).rejects.toBe(reason);
    expect(state.ended).toBe(1);
  });

  it('CAP-1 asks a worker, sends it nothing else, and ends it', async () => {
    const captcha = { ...(await issue()), enabled: true, kinds: [() => {}] };
    const requests: unknown[] = [];
    const seen: unknown[] = [];
    const { make, state } = fakeWorker((worker, request) => {
      requests.push(request);
      worker.reply({ progress: { solved: 1, puzzles: 2, evaluations: 5 } });
      worker.reply({ proof: '3.4' });
    });
    expect(await solve(captcha, { worker: make, onProgress: (progress) => seen.push(progress) })).toBe('3.4');
    expect(requests).toEqual([{ key: captcha.key, challenge: captcha.challenge }]);
    expect(seen).toEqual([{ solved: 1, puzzles: 2, evaluations: 5 }]);
    expect(state.ended).toBe(1);
    const failing = fakeWorker((worker) => worker.reply({ fault: 'RangeError: memory' })).make;
    await expect(solve(captcha, { worker: failing })).rejects.toThrow(/RangeError: memory/);
  });

  it('CAP-1 a worker that can not be loaded is replaced by slices', async () => {
    const { make, state } = fakeWorker((worker) => worker.onerror?.({} as never));
    expect(await solve(await issue(), { worker: make })).toMatch(/^\d+\.\d+$/);
    expect(state.ended).toBe(1);
    expect(await solve(await issue(), { worker: null })).toMatch(/^\d+\.\d+$/);
  });

  it('CAP-1 refuses what holds no proof of work, or one beyond every bound', async () => {
    const { key, challenge } = await issue();
    const wrong = [
      {},
      { key },
      { challenge },
      { key, challenge: { ...challenge, algorithm: 'argon2id' } },
      { key, challenge: { ...challenge, n: 2 ** 20 } },
      { key, challenge: { ...challenge, puzzles: 17 } },
      { key, challenge: { ...challenge, below: 0 } },
      { key, challenge: { ...challenge, n: '1024' } },
    ];
    for (const captcha of wrong) await expect(solve(captcha as never)).rejects.toThrow(CaptchaSolveError);
  });
});
