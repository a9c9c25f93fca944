import uploadPolicy from '@sallyport/upload-policy';
import Fastify from 'fastify';
import { destination, listen } from './team.mjs';

const app = Fastify();
await app.register(uploadPolicy, { policy: { allowedExtensions: 'txt' } });
app.post('/files', async (request) => {
  const file = process.argv[2] === 'file' ? await request.file() : request.body?.file;
  if (file === undefined) throw Object.assign(new Error('no file'), { statusCode: 400 });
  await destination().commit();
  return { stored: true };
});
await listen(app);
