import { createCaptchas } from '@sallyport/captcha';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';

const captchas = createCaptchas({
  store: createMemoryStore(),
  renderer: async (text) => ({ image: `data:text/plain,${text}` }),
  proofOfWork: { cost: 2, puzzles: 2, memoryMebibytes: 1 },
});

/** What the team gave in addition to key and answer. */
const given = {
  'kinds-text': { purpose: 'login', kinds: 'image' },
  'kinds-misspelt': { purpose: 'login', kinds: ['images'] },
  'kinds-missing': { purpose: 'login' },
  'purpose-missing': { kinds: ['image'] },
  'no-schema': { purpose: 'login', kinds: ['image', 'proof-of-work', 'both'] },
};

const app = Fastify();
app.get('/captcha', () => captchas.issue({ kind: 'image', purpose: 'login' }));
app.post('/login', async ({ body }, reply) => {
  if (!(await captchas.redeem({ ...body, ...given[process.argv[2]] }))) return reply.code(400).send({});
  return { isIn: true };
});
await app.listen({ port: Number(process.env.PORT) });
