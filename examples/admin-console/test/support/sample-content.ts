import { dataOf, hashPassword, newKey } from '@sallyport/api-client';
import type { ConsoleWorld } from './console-world.js';

const PAYMENTS = [
  { payee: 'Harbour Supplies', amount: '1250.00' },
  { payee: '海港物资有限公司', amount: '98765.43' },
  { payee: 'Lighthouse Print & Paper', amount: '19.90' },
  { payee: 'North Quay Electric', amount: '430.55' },
] as const;

/** Puts some content into every list, so that pages are checked and shown as they are used. */
export async function makeSampleContent({ client }: ConsoleWorld): Promise<void> {
  const { api } = client;
  for (const body of PAYMENTS) dataOf(await api.POST('/admin/payments', { params: { header: newKey() }, body }));
  const { permissions } = dataOf(await api.GET('/admin/profile')).data;
  const auditor = { name: 'Auditor', permissions: permissions.filter((code) => /:audit-records:|:list$/.test(code)) };
  const role = dataOf(await api.POST('/admin/roles', { params: { header: newKey() }, body: auditor })).data;
  for (const [username, displayName] of [
    ['li.hua', '李华'],
    ['maria.quay', 'Maria Quay'],
  ] as const) {
    const body = { username, displayName, password: hashPassword(`${username}-1A!`), roleIds: [role.id] };
    dataOf(await api.POST('/admin/administrators', { params: { header: newKey() }, body }));
  }
  await client.upload(new File(['Tide tables of the harbour, 2026\n'], 'tide-tables.txt', { type: 'text/plain' }));
  await client.upload(new File(['berth,ship\n7,Aurora\n'], 'berths.csv', { type: 'text/csv' }));
}
