import httpProxy from '@fastify/http-proxy';
import envelopeCrypto, { publicKeyRoute } from '@sallyport/envelope-crypto';
import { createEnvelopeClient } from '@sallyport/envelope-crypto/client';
import replayGuard from '@sallyport/replay-guard';
import Fastify from 'fastify';
import { listen, options, replay } from './options.mjs';

const [program, declaration] = process.argv.slice(2);
const declared = {
  misspelt: { deliverRawURL: true, allowHijacks: true },
  text: { deliverRawUrl: 'true', allowHijack: 'yes' },
  declared: { deliverRawUrl: true, allowHijack: true },
}[declaration];
const config = declared ?? {};

const app = Fastify({ logger: true });
await app.register(envelopeCrypto, { ...options, bypassRoutes: ['/try', '/upstream'] });
await app.register(replayGuard, replay);
await app.register(publicKeyRoute);
let asked = [];
// Another service, with a log of its own.
app.get('/upstream', { logLevel: 'silent' }, async ({ url }) => {
  asked.push(url);
  return { found: url.split('?')[1] ?? 'everybody' };
});
const programs = {
  proxy: () =>
    app.register(httpProxy, {
      upstream: '',
      replyOptions: { getUpstream: () => app.listeningOrigin },
      prefix: '/accounts',
      rewritePrefix: '/upstream',
      config,
    }),
  // As tRPC and Next.js do: what cannot be read counts as no input.
  router: () =>
    app.get('/accounts', { config }, async ({ raw }) => {
      let input = '';
      try {
        input = new URL(raw.url, 'http://localhost').search;
      } catch {}
      return { found: input.slice(1) || 'everybody' };
    }),
  hijack: () =>
    app.get('/accounts', { config }, (_request, reply) => {
      reply.hijack();
      reply.raw.end('in the clear');
    }),
  events: () =>
    app.get('/accounts', { config }, (_request, reply) => {
      reply.raw.writeHead(200, { 'content-type': 'text/event-stream' });
      reply.raw.end('data: in the clear\n\n');
    }),
};
await programs[program]();
app.get('/try', async () => {
  asked = [];
  const client = createEnvelopeClient({ baseUrl: app.listeningOrigin });
  const response = await client.fetch('/accounts?mobile=13800138000');
  return { status: response.status, answer: await response.text(), asked };
});
await listen(app);
