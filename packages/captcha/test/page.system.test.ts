import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createMemoryStore } from '@sallyport/ttl-store';
import { build as buildWithEsbuild } from 'esbuild';
import Fastify, { type FastifyInstance } from 'fastify';
import type { Browser } from 'playwright-core';
import { build as buildWithVite } from 'vite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openBrowser } from '../../../scripts/test-browser.js';
import { lacks } from '../../../scripts/test-needs.js';
import { createCaptchas } from '../src/index.js';

const CONDITIONS = ['@sallyport/source'];
const page = fileURLToPath(new URL('page/page.js', import.meta.url));
const worker = fileURLToPath(new URL('../src/client/worker.ts', import.meta.url));

/** No inline script, no eval, no WebAssembly, no other host. */
const STRICT = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
];

/** As above; the page may not even make a worker. */
const WITHOUT_WORKERS = [...STRICT, "worker-src 'none'"];

/** As above; a worker needs a trusted script URL. */
const TRUSTED_TYPES = [...STRICT, "require-trusted-types-for 'script'"];

/** Vite builds the worker by itself, from `new Worker(new URL(…, import.meta.url))`. */
async function bundleWithVite(folder: string): Promise<void> {
  await buildWithVite({
    configFile: false,
    root: folder,
    logLevel: 'error',
    resolve: { conditions: CONDITIONS },
    build: {
      outDir: folder,
      rollupOptions: { input: page, output: { entryFileNames: 'page.js', format: 'es' } },
    },
    worker: { format: 'es' },
  });
}

/** Esbuild leaves that URL alone: the worker is a second entry, beside the first. */
async function bundleWithEsbuild(folder: string): Promise<void> {
  const entryPoints = [page, worker].map((file) => ({ in: file, out: file === page ? 'page' : 'worker' }));
  await buildWithEsbuild({
    entryPoints,
    bundle: true,
    minify: true,
    format: 'esm',
    conditions: CONDITIONS,
    outdir: folder,
  });
}

async function serve(folder: string, policy: readonly string[], cost: number): Promise<FastifyInstance> {
  const app = Fastify();
  const captchas = createCaptchas({ store: createMemoryStore(), proofOfWork: { cost } });
  const headers = { 'content-security-policy': policy.join('; '), 'x-content-type-options': 'nosniff' };
  app.get('/captcha', async () => ({ data: await captchas.issue({ kind: 'proof-of-work', purpose: 'login' }) }));
  app.post<{ Body: { key: string; proof: string } }>('/sign-in', async ({ body, ip }, reply) => {
    const answer = { ...body, purpose: 'login', kinds: ['proof-of-work'] as const, clientIp: ip };
    return reply.code((await captchas.redeem(answer)) ? 200 : 400).send({});
  });
  app.get('/', (_, reply) =>
    reply
      .headers(headers)
      .type('text/html')
      .send('<!doctype html><title>x</title><script type="module" src="/page.js"></script>'),
  );
  app.get<{ Params: { '*': string } }>('/*', async ({ params }, reply) => {
    const file = await readFile(join(folder, params['*'])).catch(() => null);
    return file === null ? reply.code(404).send() : reply.headers(headers).type('text/javascript').send(file);
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  return app;
}

interface Results {
  readonly status?: number;
  /** Tasks of the page that ran while it solved: 0 or 1 where solving holds the main thread. */
  readonly turns: number;
  readonly evaluations: number;
  readonly error?: string;
}

describe.skipIf(lacks('chromium'))('solve in a page', { timeout: 90_000 }, () => {
  let browser: Browser;
  const folders: string[] = [];
  beforeAll(async () => {
    browser = await openBrowser();
    for (const bundle of [bundleWithVite, bundleWithEsbuild]) {
      folders.push(await mkdtemp(join(tmpdir(), 'sallyport-captcha-')));
      await bundle(folders.at(-1)!);
    }
  });
  afterAll(async () => {
    await browser.close();
    await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
  });

  /** What the page has done, the workers that it had, and what Chromium complained of. */
  async function visit(folder: string, policy: readonly string[], query = '') {
    const app = await serve(folder, policy, query === '?abort' ? 100_000 : 30);
    const context = await browser.newContext();
    try {
      const tab = await context.newPage();
      const faults: string[] = [];
      let workers = 0;
      tab.on('pageerror', (fault) => faults.push(String(fault)));
      tab.on('console', (line) => line.type() === 'error' && faults.push(line.text()));
      tab.on('worker', () => {
        workers += 1;
      });
      await tab.goto(`${app.listeningOrigin}/${query}`);
      const told = await tab.locator('html[data-results]').getAttribute('data-results');
      const results = JSON.parse(told ?? '') as Results;
      // Each visit ends without a worker. Chromium tells of its end a moment later.
      await vi.waitFor(() => expect(tab.workers()).toEqual([]), 10_000);
      return { results, workers, faults };
    } finally {
      await context.close();
      await app.close();
    }
  }

  it.each([
    ['Vite', 0],
    ['esbuild', 1],
  ] as const)(
    'CAP-1 works in a worker, bundled by %s, under a strict policy, and leaves the page responsive',
    async (_, at) => {
      const { results, workers, faults } = await visit(folders[at]!, STRICT);
      expect(faults).toEqual([]);
      expect(results).toMatchObject({ status: 200 });
      expect(workers).toBe(1);
      expect(results.turns).toBeGreaterThan(3);
    },
  );

  it('CAP-1 works in slices where the page has no worker: by choice, or since its policy forbids it', async () => {
    const folder = folders[1]!;
    for (const [policy, query] of [
      [STRICT, '?without-worker'],
      [WITHOUT_WORKERS, ''],
      [TRUSTED_TYPES, ''],
    ] as const) {
      const { results } = await visit(folder, policy, query);
      expect(results).toMatchObject({ status: 200 });
      expect(results.turns).toBeGreaterThan(3);
    }
  });

  it('CAP-1 ends with its worker when the signal aborts', async () => {
    const { results, workers, faults } = await visit(folders[0]!, STRICT, '?abort');
    expect(results).toMatchObject({ error: 'Error: the page was left' });
    expect([workers, faults]).toEqual([1, []]);
  });
});
