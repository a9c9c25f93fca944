import uploadPolicy from '@sallyport/upload-policy';
import Fastify from 'fastify';
import { destination, listen } from './team.mjs';

const wrong = {
  dots: { policy: { allowedExtensions: '.jpg, .txt' } },
  list: { policy: { allowedExtensions: ['jpg', 'png'] } },
  star: { policy: { allowedExtensions: '*' } },
  misspelt: { policy: { allowedExtension: 'txt' } },
  'multipart-limits': { limits: { fileSize: 1000 } },
};
const app = Fastify();
await app.register(uploadPolicy, wrong[process.argv[2]]);
app.post('/files', (request) => app.uploadPolicy.receive(request, destination()));
await listen(app);
