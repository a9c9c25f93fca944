import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import envelopeCrypto, { publicKeyRoute } from '@sallyport/envelope-crypto';
import replayGuard from '@sallyport/replay-guard';
import { createMemoryStore } from '@sallyport/ttl-store';
import { build } from 'esbuild';
import Fastify from 'fastify';

// No inline script, no eval. 'wasm-unsafe-eval' lets the client use its WebAssembly; without it, it uses JavaScript.
const policy = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ');

const app = Fastify({ logger: { level: 'warn' } });

// In production both come from the environment and stay the same (openssl rand -hex 32). A new key has a new id.
const { KEY_ID: keyId = `start-${Date.now()}`, PRIVATE_KEY: privateKey = randomBytes(32).toString('hex') } =
  process.env;
await app.register(envelopeCrypto, { mode: 'REQUIRED', keyId, privateKey });
await app.register(replayGuard, { store: createMemoryStore() });
await app.register(publicKeyRoute);

// What the server saw goes back to the page, in a sealed reply.
app.post('/messages', async ({ method, routeOptions, query, body }) => ({
  data: { method, path: routeOptions.url, query, body },
}));

const bundle = await build({
  entryPoints: [fileURLToPath(new URL('page.ts', import.meta.url))],
  bundle: true,
  minify: true,
  format: 'esm',
  conditions: ['@sallyport/source'],
  write: false,
});
const files = [
  { path: '/', type: 'text/html', content: await readFile(new URL('page.html', import.meta.url)) },
  { path: '/page.css', type: 'text/css', content: await readFile(new URL('page.css', import.meta.url)) },
  { path: '/page.js', type: 'text/javascript', content: bundle.outputFiles[0]?.text },
];
for (const { path, type, content } of files) {
  // Pages and scripts are fetched by the browser itself, which seals nothing.
  app.get(path, { config: { bypassEnvelope: true } }, (_, reply) =>
    reply
      .headers({ 'content-security-policy': policy, 'x-content-type-options': 'nosniff' })
      .type(`${type}; charset=utf-8`)
      .send(content),
  );
}

const address = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) });
console.log(`Open ${address}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close());
