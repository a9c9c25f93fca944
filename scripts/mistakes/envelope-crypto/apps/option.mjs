import envelopeCrypto from '@sallyport/envelope-crypto';
import replayGuard from '@sallyport/replay-guard';
import Fastify from 'fastify';
import { listen, options, pay, replay } from './options.mjs';

const wrong = {
  'lower-case': { mode: 'required' },
  true: { mode: true },
  'no-mode': { mode: undefined },
  'short-key': { privateKey: 'my secret' },
  pem: { privateKey: '-----BEGIN EC PRIVATE KEY-----' },
  'no-key': { privateKey: undefined },
  misspelt: { bypasRoutes: ['/health'] },
  'unknown-route': { bypassRoutes: ['/healthz'] },
};
const app = Fastify();
await app.register(envelopeCrypto, { ...options, ...wrong[process.argv[2]] });
await app.register(replayGuard, replay);
app.post('/payments', pay);
app.get('/health', pay);
await listen(app);
