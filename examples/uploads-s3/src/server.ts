import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { GetObjectCommand, NoSuchKey, PutObjectCommand } from '@aws-sdk/client-s3';
import uploadPolicy, { createFileDestination, servingHeaders, uploadRefusalSchema } from '@sallyport/upload-policy';
import Fastify from 'fastify';
import { openBucket } from './bucket.js';

const data = process.env.DATA_DIR ?? '.data';
const incoming = join(data, 'incoming');
await mkdir(incoming, { recursive: true });
const bucket = await openBucket(join(data, 'bucket'));

const app = Fastify({ logger: { level: 'warn' }, requestTimeout: 60_000 });
app.addHook('onClose', bucket.close);
await app.register(uploadPolicy, { policy: { maxSizeMb: 1, allowedExtensions: 'jpg,png,pdf,txt,docx' } });

app.post('/files', { schema: { response: { '4xx': uploadRefusalSchema } } }, async (request, reply) => {
  const id = randomUUID();
  const destination = createFileDestination({
    folder: incoming,
    // Called for a file that has passed. What is at `path` is removed afterwards.
    async keep({ size, mediaType, fileName }, path) {
      const Metadata = { name: encodeURIComponent(fileName) };
      const content = { Body: createReadStream(path), ContentLength: size, ContentType: mediaType, Metadata };
      await bucket.client.send(new PutObjectCommand({ Bucket: bucket.name, Key: id, ...content }));
    },
  });
  const { fileName, mediaType, size } = await app.uploadPolicy.receive(request, destination);
  return reply.code(201).send({ data: { id, fileName, mediaType, size } });
});

const one = { schema: { params: { type: 'object', properties: { id: { type: 'string', format: 'uuid' } } } } };
app.get<{ Params: { id: string } }>('/files/:id', one, async ({ params: { id } }, reply) => {
  try {
    const object = await bucket.client.send(new GetObjectCommand({ Bucket: bucket.name, Key: id }));
    const fileName = decodeURIComponent(object.Metadata?.name ?? 'file');
    reply.headers({ ...servingHeaders({ fileName, mediaType: object.ContentType ?? '' }) });
    return reply.send(object.Body as Readable);
  } catch (error) {
    if (error instanceof NoSuchKey) return reply.callNotFound();
    throw error;
  }
});

for (const [url, file, type] of [
  ['/', new URL('page.html', import.meta.url), 'text/html; charset=utf-8'],
  ['/page.js', new URL('page.js', import.meta.url), 'text/javascript; charset=utf-8'],
] as const) {
  const text = await readFile(file);
  app.get(url, (_, reply) => reply.type(type).header('content-security-policy', "default-src 'self'").send(text));
}

const address = await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT ?? 3000) });
console.log(`Open ${address}; files go to the bucket ${bucket.name}`);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void app.close());
