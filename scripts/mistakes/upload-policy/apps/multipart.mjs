import multipart from '@fastify/multipart';
import uploadPolicy from '@sallyport/upload-policy';
import Fastify from 'fastify';
import { destination, listen } from './team.mjs';

const app = Fastify();
if (process.argv[2] === 'before') await app.register(multipart);
await app.register(uploadPolicy, { policy: { allowedExtensions: 'txt' } });
if (process.argv[2] === 'after') await app.register(multipart);
app.post('/files', (request) => app.uploadPolicy.receive(request, destination()));
await listen(app);
