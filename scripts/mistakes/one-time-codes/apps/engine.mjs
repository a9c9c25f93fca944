import { randomBytes } from 'node:crypto';
import { createOneTimeCodes } from '@sallyport/one-time-codes';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';

const how = process.argv[2];
const store = createMemoryStore();
let last = '';
const right = {
  store,
  key: randomBytes(32),
  send: ({ code }) => {
    last = code;
  },
};
const options = {
  'no-key': { ...right, key: undefined },
  'text-key': { ...right, key: 'a secret of more than thirty-two characters' },
  'short-key': { ...right, key: randomBytes(16) },
  'no-send': { store, key: right.key },
  'promised-store': { ...right, store: Promise.resolve(store) },
  misspelt: { ...right, policy: { maxAttempt: 3 } },
  outside: { ...right, maxAttempts: 3 },
  'three-digits': { ...right, policy: { codeLength: 3 } },
};
const answers = { undefined: () => {}, object: () => ({ ok: false }), text: async () => 'wrong' };

const codes = createOneTimeCodes(options[how] ?? right);
const app = Fastify();
const client = ({ ip }) => ({ clientIp: ip, ...(answers[how] && { hasCaptcha: answers[how] }) });
app.post('/code', async (request) => {
  const { mail, purpose = null } = request.body;
  const sent = await codes.send({ recipient: mail, purpose, ...client(request) });
  return { ...sent, code: last };
});
app.post('/login', async (request, reply) => {
  const { mail, code, handle } = request.body;
  const isRight = await codes.redeem({ recipient: mail, code, handle, ...client(request) });
  return isRight ? {} : reply.code(401).send({});
});
await app.listen({ port: Number(process.env.PORT) });
