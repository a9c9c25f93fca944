import { randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createEnvelopeClient, type EnvelopeClientOptions } from '../../src/client/index.js';
import { kernel } from '../../src/client/kernel.js';
import { portableClientSuite as portable } from '../../src/suites/index.js';
import { createService, type Service } from '../service.js';

const opened: Service[] = [];

afterEach(async () => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  for (const { app } of opened.splice(0)) await app.close();
});

/** A client of a service, over a real socket. */
async function connect(options: Partial<EnvelopeClientOptions> = {}) {
  const service = await createService({ routes: (app) => app.post('/echo', async ({ body }) => ({ data: body })) });
  opened.push(service);
  const baseUrl = await service.app.listen({ host: '127.0.0.1', port: 0 });
  return createEnvelopeClient({ baseUrl, now: () => service.clock.now, ...options });
}

/** A page with requestIdleCallback. */
function stubIdlePage() {
  const waiting: (() => void)[] = [];
  vi.stubGlobal('requestIdleCallback', (work: () => void) => waiting.push(work));
  return {
    waiting,
    becomeIdle() {
      for (const work of waiting.splice(0)) work();
    },
  };
}

async function roundTrip(client: Awaited<ReturnType<typeof connect>>): Promise<unknown> {
  const body = JSON.stringify({ amount: '12.50', salt: randomBytes(4).toString('hex') });
  const response = await client.fetch('/echo', { method: 'POST', body });
  expect(await response.json()).toEqual({ data: JSON.parse(body) });
  return client.backend();
}

describe('ENV-8 the cryptography of a client', () => {
  it('is portable by default', async () => {
    const client = await connect();
    expect(await roundTrip(client)).toEqual({ name: 'portable', reason: 'no kernel was given' });
  });

  it('is the kernel if it is given, and the service understands it', async () => {
    const wrap = vi.spyOn(portable, 'wrapBaseKey');
    const client = await connect({ kernel });
    wrap.mockClear();
    expect(await roundTrip(client)).toEqual({ name: 'kernel', reason: 'it gave every known answer' });
    expect(wrap).not.toHaveBeenCalled();
  });

  it('is portable if a page’s policy forbids WebAssembly, and gives the reason', async () => {
    const refuse = () => {
      throw new Error("Refused to compile WebAssembly: 'wasm-unsafe-eval' is not allowed");
    };
    const client = await connect({ kernel });
    vi.stubGlobal('WebAssembly', { Module: refuse, Instance: refuse, validate: refuse });
    const { name, reason } = (await roundTrip(client)) as { name: string; reason: string };
    expect(name).toBe('portable');
    expect(reason).toMatch(/^no kernel: ./);
  });

  it('is portable without WebAssembly', async () => {
    const client = await connect({ kernel });
    vi.stubGlobal('WebAssembly', undefined);
    expect(await roundTrip(client)).toMatchObject({ name: 'portable', reason: expect.stringMatching(/^no kernel: ./) });
  });

  it('refuses a kernel that returns a promise, at its first use', async () => {
    const client = await connect({ kernel: (async () => kernel()) as unknown as typeof kernel });
    expect(() => client.backend()).toThrow(/kernel must not return a promise/);
    await expect(roundTrip(client)).rejects.toThrow(/kernel must not return a promise/);
  });

  it('refuses a kernel that is no function, with the other faults', () => {
    const options = { baseUrl: 'ftp://x', kernel: 'kernel' } as unknown as EnvelopeClientOptions;
    expect(() => createEnvelopeClient(options)).toThrow(/baseUrl must be.*\n- kernel must be/);
  });
});

describe('a client’s tables', () => {
  it('are built when the page is idle: first the curve’s, then the key’s', async () => {
    const page = stubIdlePage();
    const prepare = vi.spyOn(portable, 'prepareWrapping');
    const client = await connect();
    expect(page.waiting).toHaveLength(1);
    expect(prepare).not.toHaveBeenCalled();
    page.becomeIdle();
    expect(prepare).toHaveBeenLastCalledWith();

    const { publicKey } = await client.bootstrap();
    expect(prepare).toHaveBeenCalledTimes(1);
    page.becomeIdle();
    expect(prepare).toHaveBeenCalledTimes(2);
    expect(Buffer.from(prepare.mock.lastCall?.[0] ?? []).toString('hex')).toBe(publicKey);
    await roundTrip(client);
  });

  it('do not delay a request that is sent before the page is idle', async () => {
    const page = stubIdlePage();
    const client = await connect();
    await roundTrip(client);
    expect(page.waiting).toHaveLength(2);
    page.becomeIdle();
    await roundTrip(client);
  });

  it('that can’t be built when the page is idle harm nothing there: who needs them is told', async () => {
    const page = stubIdlePage();
    const outOfMemory = () => {
      throw new Error('out of memory');
    };
    const client = await connect({ kernel: outOfMemory });
    expect(page.waiting).toHaveLength(1);
    page.becomeIdle();
    await expect(roundTrip(client)).rejects.toThrow('out of memory');
  });

  it('are built after the current task where no idle callback exists', async () => {
    vi.stubGlobal('requestIdleCallback', undefined);
    const prepare = vi.spyOn(portable, 'prepareWrapping');
    await connect();
    await vi.waitFor(() => expect(prepare).toHaveBeenCalledWith(), { timeout: 15_000 });
  });
});
