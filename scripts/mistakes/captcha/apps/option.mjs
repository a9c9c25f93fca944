import { createCaptchas } from '@sallyport/captcha';
import { createMemoryStore } from '@sallyport/ttl-store';
import Fastify from 'fastify';

const store = createMemoryStore();
const options = {
  none: {},
  promise: { store: Promise.resolve(store) },
  misspelt: { store, proofOfwork: { cost: 10 } },
  member: { store, cost: 10 },
  memory: { store, proofOfWork: { memoryMebibytes: 3 } },
  cheap: { store, proofOfWork: { cost: 1 } },
  renderer: { store, renderer: { create: () => '<svg/>' } },
  external: { store, external: async () => true },
};
createCaptchas(options[process.argv[2]]);
await Fastify().listen({ port: Number(process.env.PORT) });
