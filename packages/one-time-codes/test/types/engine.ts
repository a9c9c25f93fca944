// ADP-7: the types of the engine as applications use them.
import { createOneTimeCodes, type OneTimeCodes, type RightCode } from '@sallyport/one-time-codes';
import { createMemoryStore } from '@sallyport/ttl-store';

const store = createMemoryStore();
const key = new Uint8Array(32);
const client = { recipient: 'ada@example.com', clientIp: '192.0.2.1' };

const plain: OneTimeCodes = createOneTimeCodes({ store, key, send: ({ code }) => code.length });
await plain.send(client);

const mailing = createOneTimeCodes<{ language: 'en' | 'fr' }>({ store, key, send: ({ context }) => context.language });
await mailing.send({ ...client, context: { language: 'fr' } });
// @ts-expect-error: the context is required where it has a type
await mailing.send(client);

const right: RightCode | null = await plain.check({ ...client, code: '1', hasCaptcha: async () => true });
// @ts-expect-error: a check may have found nothing
await right.redeem();
// @ts-expect-error: an answer is true or false
await plain.redeem({ ...client, code: '1', hasCaptcha: () => ({ ok: false }) });
export const isIn: boolean = await plain.redeem({ ...client, code: '1' });
