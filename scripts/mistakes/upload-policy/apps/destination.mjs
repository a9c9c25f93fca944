import uploadPolicy from '@sallyport/upload-policy';
import Fastify from 'fastify';
import { destination, listen } from './team.mjs';

const wrong = { path: '/var/uploads', nothing: undefined, part: { write: destination().write } };
const app = Fastify();
await app.register(uploadPolicy, { policy: { allowedExtensions: 'txt' } });
app.post('/files', (request) => app.uploadPolicy.receive(request, wrong[process.argv[2]]));
await listen(app);
