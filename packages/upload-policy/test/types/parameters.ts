// ADP-7: the definitions of the policy fit a table of dynamic parameters, and the serving headers fit a reply.
import systemParameters, { createMemorySource } from '@sallyport/system-parameters';
import uploadPolicy, { servingHeaders, uploadPolicyParameters } from '@sallyport/upload-policy';
import Fastify from 'fastify';

const app = Fastify();
await app.register(systemParameters, {
  tables: [{ definitions: uploadPolicyParameters }],
  source: createMemorySource(),
});
await app.register(uploadPolicy, { policy: () => app.systemParameters.read(uploadPolicyParameters) });

const file = { fileName: 'a.png', mediaType: 'image/png' };
app.get('/file', async (_request, reply) => reply.headers(servingHeaders(file)).send('…'));
app.get('/cached', async (_request, reply) => {
  return reply
    .headers({ ...servingHeaders({ ...file, disposition: 'inline' }), 'cache-control': 'no-store' })
    .send('…');
});
new Headers({ ...servingHeaders(file) });
// @ts-expect-error
servingHeaders({ ...file, disposition: 'inlined' });
