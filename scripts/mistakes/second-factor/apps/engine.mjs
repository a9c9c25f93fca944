import { randomBytes } from 'node:crypto';
import { createMemoryFactorRecords, createSecondFactors, totpCodeAt } from '@sallyport/second-factor';
import { createPasskeys } from '@sallyport/second-factor/passkeys';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';

const how = process.argv[2];
const store = createMemoryStore();
const records = createMemoryFactorRecords();
const secret = randomBytes(32);
const right = { store, records, key: { id: 'k1', secret }, issuer: 'Shop' };
const options = {
  'no-key': { ...right, key: undefined },
  'bare-key': { ...right, key: secret },
  'text-key': { ...right, key: { id: 'k1', secret: 'a secret of more than thirty-two characters' } },
  'zero-key': { ...right, key: { id: 'k1', secret: new Uint8Array(32) } },
  'promised-store': { ...right, store: Promise.resolve(store) },
  'read-only-records': { ...right, records: { read: records.read } },
  misspelt: { ...right, previousKey: [] },
  // A statement without its count: nobody knows whether it was written.
  'silent-replace': { ...right, records: { ...records, replace: async (...given) => void records.replace(...given) } },
  'text-records': { ...right, records: { ...records, read: async (of) => JSON.stringify(await records.read(of)) } },
};
const sites = {
  'url-as-rp-id': { rpId: 'https://example.com', origins: ['https://example.com'] },
  'origin-with-path': { rpId: 'example.com', origins: ['https://example.com/login'] },
  'other-origin': { rpId: 'example.com', origins: ['https://example.org'] },
};

if (how === 'another-key') {
  await createSecondFactors(right).assertKeys();
  await createSecondFactors({ ...right, key: { id: 'k1', secret: randomBytes(32) } }).assertKeys();
}
if (how in sites) createPasskeys({ store, records, rpName: 'Shop', ...sites[how] });
const factors = createSecondFactors(options[how] ?? right);
const setUp = createSecondFactors(right);
const principal = 'ada';
const begun = await setUp.beginTotp({ principal, account: 'ada' });
await setUp.confirmTotp({ principal, id: begun.id, code: totpCodeAt(begun.secret, Date.now() - 30_000) });

const app = Fastify();
app.get('/code', () => ({ code: totpCodeAt(begun.secret, Date.now()) }));
app.post('/second-factor', async (request, reply) => {
  const factor = await factors.verifyTotp({ principal, code: request.body.code });
  return factor ?? reply.code(401).send({});
});
await app.listen({ port: Number(process.env.PORT) });
