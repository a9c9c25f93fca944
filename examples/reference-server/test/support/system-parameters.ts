import type { Actor } from './accounts.js';

/** Changes a system parameter as an administrator does; rejects if it is refused. */
export async function setParameter(admin: Actor, key: string, value: string | number | boolean): Promise<void> {
  const { version } = (await admin.call('GET', `/admin/system-parameters/${key}`)).json().data;
  const changed = await admin.call('PUT', `/admin/system-parameters/${key}`, { value, version });
  if (changed.statusCode !== 200) throw new Error(`${key} was not changed: ${changed.body}`);
}
