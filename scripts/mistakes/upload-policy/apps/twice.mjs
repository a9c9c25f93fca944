import uploadPolicy from '@sallyport/upload-policy';
import Fastify from 'fastify';
import { destination, listen } from './team.mjs';

const app = Fastify();
await app.register(uploadPolicy, { policy: { allowedExtensions: 'txt' } });
await app.register(uploadPolicy, { policy: { allowedExtensions: 'pdf' } });
app.post('/files', (request) => app.uploadPolicy.receive(request, destination()));
await listen(app);
