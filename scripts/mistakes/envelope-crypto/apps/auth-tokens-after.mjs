import authTokens, { generateSigningKey } from '@sallyport/auth-tokens';
import envelopeCrypto from '@sallyport/envelope-crypto';
import replayGuard from '@sallyport/replay-guard';
import Fastify from 'fastify';
import { listen, options, pay, replay } from './options.mjs';

const app = Fastify();
await app.register(envelopeCrypto, options);
await app.register(replayGuard, replay);
const key = { issuer: 'https://shop.example', signingKey: generateSigningKey() };
await app.register(authTokens, { ...key, store: replay.store });
app.post('/payments', { config: { access: 'admin' } }, pay);
await listen(app);
