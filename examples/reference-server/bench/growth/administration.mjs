// Roles, permissions, parameters and locks by their number, through the whole server on PostgreSQL and Redis.
import { createResults, medianTime } from './times.mjs';
import { startStores } from './whole-servers.mjs';

const RUNS = 101;
/** Wrong passwords after which an account that is not locked yet is an error. */
const MAX_GUESSES = 30;
/** More are not locked, because each takes several sign-ins. */
const MAX_LOCKED = 1000;
/** Accounts that are locked at once. */
const LOCKING = 32;

const WRONG = 'f'.repeat(64);

/** @param sizes numbers of each, in ascending order */
export async function measureAdministration({ sizes, say }) {
  const stores = await startStores();
  const { client } = stores;
  const results = createResults('requests');
  try {
    const { url, headers } = await stores.addNode({ SERVICE_NODES: '1' });
    const get = async (path) => {
      const response = await fetch(url + path, { headers });
      const text = await response.text();
      if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text}`);
    };
    const note = async (name, size, path) => {
      results.note('requests', name, size, await medianTime(() => get(path), RUNS));
    };
    const [{ id: admin }] = await client`select id from administrators where username = 'admin'`;
    const [{ id: own }] = await client`insert into roles (id, name, permissions)
      values (gen_random_uuid(), 'growth', '{}') returning id`;
    await client`insert into administrator_roles values (${admin}, ${own})`;
    let made = 0;
    let locked = 0;
    for (const size of sizes) {
      await client`insert into roles (id, name, permissions) select gen_random_uuid(), 'growth ' || n,
        '{api:admin:payments:list}' from generate_series(${made + 1}::int, ${size}::int) n`;
      await client`insert into system_parameters (key, type, value, default_value, is_public, description)
        select 'growth.value-' || n, 'string', 'x', 'x', false, 'of the benchmark'
        from generate_series(${made + 1}::int, ${size}::int) n`;
      await client`insert into administrators (id, username, display_name, password_hash)
        select gen_random_uuid(), 'growth' || n, 'Growth', password_hash
        from administrators, generate_series(${made + 1}::int, ${size}::int) n where username = 'admin'`;
      await client`analyze`;
      made = size;
      await note('profile, by roles that exist', size, '/admin/profile');
      await note('first page of the roles', size, '/admin/roles');
      await note('last page of the roles', size, `/admin/roles?page=${Math.max(1, Math.floor(size / 20))}`);
      await note('first page of the administrators', size, '/admin/administrators');
      await client`update roles set permissions =
        array(select 'api:growth:n' || n || ':read' from generate_series(1, ${size}::int) n) where id = ${own}`;
      await note('profile, by permissions held', size, '/admin/profile');
      await client`update roles set permissions = '{}' where id = ${own}`;
      await note('profile, by stored parameters', size, '/admin/profile');
      if (size > MAX_LOCKED) continue;
      const began = performance.now();
      const names = Array.from({ length: size - locked }, (_, index) => `growth${locked + index + 1}`);
      while (names.length > 0) await Promise.all(names.splice(0, LOCKING).map((name) => lock(url, name)));
      locked = size;
      say(`${size} accounts locked in ${((performance.now() - began) / 1000).toFixed(0)} s`);
      await note('first page of the locks', size, '/admin/login-policy/locks');
    }
    return results.measured;
  } finally {
    await stores.stop();
  }
}

/** Guesses until the account is locked. Each has an address of its own. */
async function lock(url, username) {
  const number = Number(username.replace('growth', ''));
  const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  for (let guess = 0; guess < MAX_GUESSES; guess += 1) {
    const response = await fetch(`${url}/admin/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify({ username, password: WRONG, terminal: 'web' }),
    });
    const body = await response.text();
    if (response.status === 423 || response.status === 429 || /LOCKED/.test(body)) return;
    if (response.status === 503) guess -= 1;
    else if (response.status !== 401) throw new Error(`${response.status} ${body}`);
  }
  throw new Error(`${username} is not locked`);
}
