import { execFile } from 'node:child_process';
import { createRequire, syncBuiltinESMExports } from 'node:module';
import { promisify } from 'node:util';
import type { Worker, WorkerOptions } from 'node:worker_threads';
import { fastify } from 'fastify';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { build } from '../../../../scripts/build.mjs';
import { randomSm2Scalar, sm2PublicKey } from '../../src/gm/index.js';
import { envelopeCrypto } from '../../src/index.js';
import { createKernelSuite } from '../../src/kernel/kernel-suite.js';
import type { EnvelopeSuite } from '../../src/suites/index.js';
import { type KernelThread, type KernelThreadMemory, startKernelThread } from '../../src/unwrapping/kernel-thread.js';
import { createKernelUnwraps, type KernelUnwraps } from '../../src/unwrapping/kernel-unwraps.js';
import { seal } from '../sealed-request.js';
import { createService, privateKey as newPrivateKey } from '../service.js';
import { hex, withBitFlipped } from '../vector-files.js';

const MAX_BUILD_MILLIS = 300_000;

// The thread runs the built package.
beforeAll(() => build(), MAX_BUILD_MILLIS);

/** Every started thread with its options. */
const workers: { worker: Worker; options: WorkerOptions }[] = [];

// Replaced in Node.js itself: a mock of the module would not reach modules that other test files have loaded already.
const threads: { Worker: typeof Worker } = createRequire(import.meta.url)('node:worker_threads');
const OriginalWorker = threads.Worker;

class ShownWorker extends OriginalWorker {
  constructor(file: string | URL, options: WorkerOptions) {
    super(file, options);
    workers.push({ worker: this, options });
  }
}

function replaceWorker(replacement: typeof Worker): void {
  threads.Worker = replacement;
  syncBuiltinESMExports();
}

beforeAll(() => replaceWorker(ShownWorker as typeof Worker));
afterAll(() => replaceWorker(OriginalWorker));

const opened: { close(): unknown }[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const service of opened.splice(0)) await service.close();
  workers.length = 0;
});

const made = createKernelSuite();
if (made.kind !== 'ready') throw new Error(made.reason);
const suite = made.suite;

const ROOMS = 32;

/** In milliseconds. Even a fast step may take long on a machine that pauses. */
const PATIENCE = 20_000;
const baseKey = new Uint8Array(16).fill(7);

function newKey() {
  const privateKey = randomSm2Scalar();
  const publicKey = sm2PublicKey(privateKey);
  return { privateKey, publicKey, ek: suite.wrapBaseKey(publicKey, baseKey) };
}

async function startThread(...privateKeys: readonly Uint8Array[]) {
  const lost: unknown[] = [];
  const thread = await startKernelThread({
    privateKeys,
    unwrapHere: suite.unwrapBaseKey,
    onLost: (cause) => lost.push(cause),
  });
  opened.push(thread);
  return { thread, lost, memory: workers.at(-1)!.options.workerData as KernelThreadMemory };
}

describe('the kernel thread', () => {
  it('ENV-8 unwraps with each of its keys, and refuses what does not open', async () => {
    const [today, yesterday] = [newKey(), newKey()];
    const { thread } = await startThread(today.privateKey, yesterday.privateKey);
    const answers = await Promise.all([
      thread.tryUnwrap(today.privateKey, today.ek),
      thread.tryUnwrap(yesterday.privateKey, yesterday.ek),
      thread.tryUnwrap(today.privateKey, yesterday.ek),
      thread.tryUnwrap(today.privateKey, withBitFlipped(today.ek, 900)),
      thread.tryUnwrap(today.privateKey, new Uint8Array(113)),
      thread.tryUnwrap(today.privateKey, today.ek),
    ]);
    expect(answers.map((answer) => answer && hex(answer))).toEqual([
      hex(baseKey),
      hex(baseKey),
      null,
      null,
      null,
      hex(baseKey),
    ]);
  });

  it('ENV-8 answers each task with its own base key, many times round the ring, and reports a full queue', async () => {
    const { privateKey, publicKey } = newKey();
    const { thread } = await startThread(privateKey);
    let withoutRoom = 0;
    for (let round = 0; round < 20; round++) {
      const baseKeys = Array.from({ length: ROOMS + 5 }, (_, i) => new Uint8Array(16).fill(round * 40 + i));
      const eks = baseKeys.map((own) => suite.wrapBaseKey(publicKey, own));
      const answers = eks.map((ek) => thread.tryUnwrap(privateKey, ek));
      withoutRoom += answers.filter((answer) => answer === undefined).length;
      for (const [i, answer] of answers.entries()) {
        if (answer !== undefined) expect(await answer).toEqual(baseKeys[i]);
      }
    }
    // All of a round are requested before the first answer.
    expect(withoutRoom).toBe(20 * 5);
  });

  it('ENV-8 refuses a key of another length without starting', async () => {
    const { privateKey, ek } = newKey();
    const { thread } = await startThread(privateKey);
    expect(thread.tryUnwrap(privateKey, ek.subarray(1))).toBeUndefined();
    expect(thread.tryUnwrap(privateKey, new Uint8Array())).toBeUndefined();
  });

  it('ENV-3 gets the keys in separate memory and no environment, and keeps no base keys', async () => {
    const { privateKey, ek } = newKey();
    const { thread, memory } = await startThread(privateKey);
    expect(hex(memory.privateKeys)).toBe(hex(privateKey));
    expect(workers.at(-1)!.options).toMatchObject({ env: {}, execArgv: [] });
    expect(await thread.tryUnwrap(privateKey, ek)).toEqual(baseKey);
    expect(memory.baseKeys.every((byte) => byte === 0)).toBe(true);
    await thread.close();
    expect(memory.privateKeys.every((byte) => byte === 0)).toBe(true);
    expect(privateKey.some((byte) => byte !== 0)).toBe(true);
  });

  it('EC-52 may be lost: its tasks are unwrapped here, it accepts no more, and reports it once', async () => {
    const { privateKey, ek } = newKey();
    const { thread, lost, memory } = await startThread(privateKey);
    const underWay = Array.from({ length: ROOMS }, () => thread.tryUnwrap(privateKey, ek));
    await workers.at(-1)!.worker.terminate();
    expect(await Promise.all(underWay)).toEqual(Array(ROOMS).fill(baseKey));
    expect(thread.tryUnwrap(privateKey, ek)).toBeUndefined();
    expect(lost).toEqual([new Error('the thread ended with 1')]);
    expect(memory.privateKeys.every((byte) => byte === 0)).toBe(true);
  });

  it('EC-52 may fail at one task: the others are unwrapped here, and only that one fails', async () => {
    const { privateKey, ek } = newKey();
    const outOfRange = new Uint8Array(32);
    const { thread, lost } = await startThread(privateKey, outOfRange);
    const answers = await Promise.allSettled([
      thread.tryUnwrap(privateKey, ek),
      thread.tryUnwrap(outOfRange, ek),
      thread.tryUnwrap(privateKey, ek),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(answers[2]).toMatchObject({ value: baseKey });
    await vi.waitFor(() => expect(lost).toMatchObject([{ message: expect.stringContaining('private key') }]), PATIENCE);
    expect(String(lost[0])).not.toContain('00000000');
  });

  it('answers pending tasks when it is closed, and does not report a loss', async () => {
    const { privateKey, ek } = newKey();
    const { thread, lost } = await startThread(privateKey);
    const underWay = Array.from({ length: 8 }, () => thread.tryUnwrap(privateKey, ek));
    await thread.close();
    expect(await Promise.all(underWay)).toEqual(Array(8).fill(baseKey));
    expect(thread.tryUnwrap(privateKey, ek)).toBeUndefined();
    await thread.close();
    expect(lost).toEqual([]);
  });

  it('keeps the process alive only while it has tasks', async () => {
    const dist = new URL('../../dist/', import.meta.url).href;
    const program = `
      import { startKernelThread } from '${dist}unwrapping/kernel-thread.js';
      import { createKernelSuite } from '${dist}kernel/kernel-suite.js';
      const { suite } = createKernelSuite();
      const privateKey = new Uint8Array(32).fill(9);
      const ek = suite.wrapBaseKey(suite.publicKeyOf(privateKey), new Uint8Array(16).fill(7));
      const options = { privateKeys: [privateKey], unwrapHere: suite.unwrapBaseKey, onLost: console.error };
      const thread = await startKernelThread(options);
      const baseKeys = await Promise.all([ek, ek, ek].map((own) => thread.tryUnwrap(privateKey, own)));
      console.log(Buffer.concat(baseKeys).toString('hex'));`;
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
    expect(stdout.trim()).toBe('07'.repeat(48));
  });
});

describe('the use of the kernel thread', () => {
  const key = newKey();
  type Task = Parameters<EnvelopeSuite['unwrapBaseKey']>;

  /** A mock thread that does the work here. */
  function toldThread(tryUnwrapBy = async (...task: Task) => suite.unwrapBaseKey(...task)) {
    const tryUnwrap = vi.fn<KernelThread['tryUnwrap']>(tryUnwrapBy);
    const thread = { tryUnwrap, close: vi.fn(async () => {}) };
    return { ...thread, start: vi.fn(async () => thread) };
  }

  function unwrapsWith(
    startThread: typeof startKernelThread,
    clock: { millis: number },
    changes: { mayUseThread?: boolean } = {},
  ): KernelUnwraps & { readonly logged: unknown[][] } {
    const logged: unknown[][] = [];
    const log = { info: (...line: unknown[]) => logged.push(line), error: (...line: unknown[]) => logged.push(line) };
    const unwraps = createKernelUnwraps({
      suite,
      keyPairs: [key],
      mayUseThread: true,
      log,
      now: () => clock.millis,
      startThread,
      ...changes,
    });
    opened.push(unwraps);
    return { ...unwraps, logged };
  }

  /** Runs concurrent unwraps and checks each. */
  async function ask({ unwrap }: KernelUnwraps, count: number): Promise<void> {
    const answers = Array.from({ length: count }, () => unwrap(key.privateKey, key.ek));
    for (const answer of await Promise.all(answers)) expect(answer).toEqual(baseKey);
  }

  it('PRF-2 starts a thread at the fiftieth unwrap in a tenth of a second, and gives it work after its test', async () => {
    const clock = { millis: 0 };
    const thread = toldThread();
    const unwraps = unwrapsWith(thread.start, clock);
    for (; clock.millis < 1000; clock.millis += 100) await ask(unwraps, 49);
    expect(thread.start).not.toHaveBeenCalled();
    await ask(unwraps, 50);
    expect(thread.start).toHaveBeenCalledTimes(1);
    await vi.waitFor(
      () => expect(unwraps.logged).toEqual([[expect.stringMatching(/in addition to the event loop/)]]),
      PATIENCE,
    );
    expect(thread.tryUnwrap).toHaveBeenCalledTimes(1);
    await ask(unwraps, 10);
    expect(thread.tryUnwrap).toHaveBeenCalledTimes(11);
  });

  it('PRF-2 gives the thread no work while there is little to do, and does not start it again', async () => {
    const clock = { millis: 0 };
    const thread = toldThread();
    const unwraps = unwrapsWith(thread.start, clock);
    await ask(unwraps, 60);
    await vi.waitFor(() => expect(unwraps.logged).toHaveLength(1), PATIENCE);
    thread.tryUnwrap.mockClear();
    // The next interval still follows a busy one. The one after it does not, nor does one after a pause.
    for (const [millis, byThread] of [
      [100, 1],
      [200, 1],
      [1000, 1],
    ] as const) {
      clock.millis = millis;
      await ask(unwraps, 1);
      expect(thread.tryUnwrap).toHaveBeenCalledTimes(byThread);
    }
    await ask(unwraps, 60);
    expect(thread.tryUnwrap.mock.calls.length).toBeGreaterThan(1);
    expect(thread.start).toHaveBeenCalledTimes(1);
  });

  it.each<[string, () => typeof startKernelThread]>([
    ['does not start', () => vi.fn(() => Promise.reject(new Error('no memory')))],
    ['unwraps wrongly', () => toldThread(async () => new Uint8Array(16)).start],
    ['refuses everything', () => toldThread(async () => null).start],
  ])('ENV-6 one that %s gets no work: the event loop goes on, and the log says so once', async (_, prepare) => {
    const unwraps = unwrapsWith(prepare(), { millis: 0 });
    for (let round = 0; round < 3; round++) {
      await ask(unwraps, 60);
      await vi.waitFor(() => expect(unwraps.logged).toHaveLength(1), PATIENCE);
    }
    expect(unwraps.logged[0]).toEqual([
      { err: expect.any(Error) },
      expect.stringMatching(/the kernel thread did not start/),
    ]);
  });

  it('what it has no room for is unwrapped here', async () => {
    const thread = toldThread();
    const unwraps = unwrapsWith(thread.start, { millis: 0 });
    await ask(unwraps, 60);
    await vi.waitFor(() => expect(unwraps.logged).toHaveLength(1), PATIENCE);
    thread.tryUnwrap.mockReturnValue(undefined);
    await ask(unwraps, 60);
  });

  it('none is started where it may not be', async () => {
    const thread = toldThread();
    await ask(unwrapsWith(thread.start, { millis: 0 }, { mayUseThread: false }), 200);
    expect(thread.start).not.toHaveBeenCalled();
  });

  it('one that comes up while the service closes is closed', async () => {
    let comeUp: (thread: KernelThread) => void = () => {};
    const started = new Promise<KernelThread>((resolve) => {
      comeUp = resolve;
    });
    const thread = toldThread();
    const unwraps = unwrapsWith(() => started, { millis: 0 });
    await ask(unwraps, 60);
    const closed = unwraps.close();
    comeUp(thread);
    await closed;
    expect(thread.close).toHaveBeenCalledTimes(1);
    expect(unwraps.logged).toEqual([]);
  });
});

describe('a service on the kernel', () => {
  async function serve(kernelThread: boolean) {
    const service = await createService({
      crypto: { backend: 'kernel', kernelThread },
      routes: (app) => app.post('/echo', async ({ body }) => ({ data: body })),
    });
    opened.push(service.app);
    return service;
  }

  /** Seals and sends concurrent requests, and opens the answers. */
  async function sendEnvelopes(service: Awaited<ReturnType<typeof serve>>, count: number) {
    const sealed = Array.from({ length: count }, (_, i) => seal(service, { body: { number: i } }));
    const answers = await Promise.all(sealed.map((own) => own.send()));
    for (const [i, answer] of answers.entries()) {
      expect(answer.statusCode).toBe(200);
      expect(JSON.parse(sealed[i]!.open(answer))).toEqual({ data: { number: i } });
    }
    return sealed;
  }

  it('PRF-2 RPL-1 EC-01 unwraps in a thread under load: right answers, and replays and forgeries refused', async () => {
    const service = await serve(true);
    // On any machine all of them arrive within a tenth of a second.
    vi.spyOn(performance, 'now').mockReturnValue(1000);
    await sendEnvelopes(service, 60);
    await vi.waitFor(
      () => expect(service.log.join()).toContain('unwraps base keys in addition to the event loop'),
      PATIENCE,
    );
    const told = vi.spyOn(Atomics, 'notify');
    const sealed = await sendEnvelopes(service, 80);
    expect(told.mock.calls.length).toBeGreaterThan(0);

    const again = await Promise.all(sealed.slice(0, 20).map((own) => own.send()));
    expect(new Set(again.map((answer) => answer.json().code))).toEqual(new Set(['ENVELOPE_EXPIRED_OR_REPLAYED']));
    const fresh = Array.from({ length: 20 }, () => seal(service, { body: {} }));
    const forged = await Promise.all(fresh.map((own) => own.send({ members: { ...own.members, ct: 'A'.repeat(22) } })));
    expect(new Set(forged.map((answer) => answer.json().code))).toEqual(new Set(['ENVELOPE_REJECTED']));

    await workers.at(-1)!.worker.terminate();
    await sendEnvelopes(service, 60);
    expect(service.log.join()).toContain('the kernel thread was lost');
  });

  it('starts none with kernelThread false, and none in the start', async () => {
    const service = await serve(false);
    vi.spyOn(performance, 'now').mockReturnValue(1000);
    await sendEnvelopes(service, 60);
    await serve(true);
    expect(workers).toEqual([]);
  });

  it('does not start with a kernelThread that is neither true nor false', async () => {
    const register = fastify().register(envelopeCrypto, {
      mode: 'REQUIRED',
      keyId: 'k',
      privateKey: newPrivateKey(),
      kernelThread: 'yes' as never,
    });
    await expect(Promise.resolve(register)).rejects.toThrow(/kernelThread must be true or false/);
  });
});
