import { randomBytes } from 'node:crypto';
import envelopeCrypto, { publicKeyRoute } from '@sallyport/envelope-crypto';
import replayGuard from '@sallyport/replay-guard';
import Fastify from 'fastify';
import { listen, pay, replay } from './options.mjs';

const keys = { keyId: '2026-11', privateKey: randomBytes(32).toString('hex') };
const load = async () => keys;
const wrong = {
  function: { keySource: load },
  'no-mode': { mode: undefined, keySource: { load } },
  'with-a-key': { ...keys, keySource: { load } },
  misspelt: { keySource: { load, refreshSecond: 30 } },
  milliseconds: { keySource: { load, refreshSeconds: 300_000 } },
  text: { keySource: { load: async () => JSON.stringify(keys) } },
  'misspelt-key': { keySource: { load: async () => ({ ...keys, previouskeys: [] }) } },
  bytes: { keySource: { load: async () => ({ ...keys, privateKey: Buffer.from(keys.privateKey, 'hex') }) } },
  passphrase: {
    keySource: { load: async () => ({ ...keys, privateKey: Buffer.from('a'.repeat(32)).toString('hex') }) },
  },
  nothing: { keySource: { async load() {} } },
  hangs: { keySource: { load: () => new Promise(() => {}), loadTimeoutMillis: 200 } },
  'async-subscribe': { keySource: { load, subscribe: async () => Promise.reject(new Error('no channel')) } },
  emitter: { keySource: { load, subscribe: (refresh) => process.on('SIGUSR2', refresh) } },
};
const app = Fastify();
await app.register(envelopeCrypto, { mode: 'REQUIRED', ...wrong[process.argv[2]] });
await app.register(replayGuard, replay);
await app.register(publicKeyRoute);
app.post('/payments', pay);
await listen(app);
