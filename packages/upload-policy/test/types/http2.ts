// ADP-13: requests of an application with HTTP/2 can be received.
import uploadPolicy, { createFileDestination } from '@sallyport/upload-policy';
import Fastify from 'fastify';

const app = Fastify({ http2: true });
await app.register(uploadPolicy, { policy: { maxSizeMb: 5 } });

const destination = () => createFileDestination({ folder: '/var/uploads', keep: async () => 'kept' });
app.post('/files', async (request) => app.uploadPolicy.receive(request, destination()));
app.post('/streams', async (request) => app.uploadPolicy.countWhile(request, async () => 1));
// @ts-expect-error
app.post('/raw', async (request) => app.uploadPolicy.receive(request.raw, destination()));
// @ts-expect-error
app.post('/body', async (request) => app.uploadPolicy.receive(request.body, destination()));

const plain = Fastify();
plain.post<{ Body: Buffer }>('/files', async (request) => plain.uploadPolicy.receive(request, destination()));
