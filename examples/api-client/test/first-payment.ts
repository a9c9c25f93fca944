import { createApiClient, dataOf, writeOnce } from '@sallyport/api-client';

const client = createApiClient({ baseUrl: process.argv[2] ?? 'http://127.0.0.1:3000' });
await client.signIn({ username: 'admin', password: 'sallyport-dev' });

// One payment, however often it is sent.
const body = { payee: 'Harbour Supplies', amount: '12.50' };
const paid = await writeOnce((header) => client.api.POST('/admin/payments', { params: { header }, body }));
if (paid.error?.code === 'IDEMPOTENCY_SUBMITTED') console.log('paid before');
else console.log(dataOf(paid).data.id);

const { data, page } = dataOf(await client.api.GET('/admin/payments', { params: { query: { size: 5 } } }));
console.log(`${page.total} payments, the newest of ${data[0]?.amount}`);
await client.signOut();
