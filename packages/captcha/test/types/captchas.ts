// CAP-1: the parameters of an application fit as they are read, and what `issue` returns fits `solve`.
import { type CaptchaKind, createCaptchas } from '@sallyport/captcha';
import { type SolveWorker, solve } from '@sallyport/captcha/client';
import systemParameters, { createMemorySource, defineParameters } from '@sallyport/system-parameters';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';

const proofOfWork = defineParameters({
  cost: { key: 'captcha.cost', type: 'LONG', default: 90, minimum: 6, isPublic: false, description: 'Evaluations' },
});

const app = Fastify();
await app.register(systemParameters, { tables: [{ definitions: proofOfWork }], source: createMemorySource() });

const captchas = createCaptchas({
  store: createMemoryStore(),
  proofOfWork: () => app.systemParameters.read(proofOfWork),
  external: { verify: async ({ token, signal }) => !signal.aborted && token !== '' },
});

interface Body {
  readonly key: string;
  readonly code?: string;
  readonly proof?: string;
}

app.post<{ Body: Body }>('/login', async ({ body, ip }) => {
  const kinds: readonly CaptchaKind[] = ['proof-of-work', 'external'];
  const isAnswered: boolean = await captchas.redeem({ ...body, purpose: 'login', kinds, clientIp: ip });
  // @ts-expect-error: a kind is misspelt
  await captchas.redeem({ ...body, purpose: 'login', kinds: ['images'] });
  return isAnswered;
});

/** The part of a page's `Worker` that TypeScript's library for pages declares. */
interface PageWorker {
  onmessage: ((this: PageWorker, event: { readonly data: string; readonly origin: string }) => unknown) | null;
  onerror: ((this: PageWorker, event: { readonly message: string }) => unknown) | null;
  postMessage(message: unknown, transfer?: readonly object[]): void;
  terminate(): void;
}
declare const pageWorker: PageWorker;
export const worker: SolveWorker = pageWorker;

const signal = AbortSignal.timeout(10_000);
export const proof: string = await solve(await captchas.issue({ kind: 'proof-of-work', purpose: 'login' }), {
  signal,
  worker: () => worker,
});
