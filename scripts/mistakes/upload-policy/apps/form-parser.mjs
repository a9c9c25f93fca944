import uploadPolicy from '@sallyport/upload-policy';
import Fastify from 'fastify';
import { destination, listen } from './team.mjs';

const app = Fastify();
const keep = (_request, payload, done) => done(null, payload);
if (process.argv[2] === 'before') app.addContentTypeParser('multipart/form-data', keep);
await app.register(uploadPolicy, { policy: { allowedExtensions: 'txt' } });
if (process.argv[2] === 'after') app.addContentTypeParser('multipart/form-data', keep);
app.post('/files', (request) => app.uploadPolicy.receive(request, destination()));
await listen(app);
