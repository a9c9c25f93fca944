import { dataOf } from '@sallyport/api-client';
import { expect, it } from 'vitest';
import { placeNames, places } from '../../src/places/places.js';
import type { ConsoleWorld } from '../support/console-world.js';
import { untilQuiet } from '../support/quiet-page.js';

export function describeVisits(world: () => ConsoleWorld): void {
  it('CON-8 a visit of a place is one record of the audit log, of every place', async () => {
    const { client, openSignedIn } = world();
    const { page } = await openSignedIn('/profile');
    await untilQuiet(page);
    const asked = new Map<string, string>();
    let visited = '';
    page.on('response', (response) => {
      const id = response.headers()['x-request-id'];
      if (id !== undefined && new URL(response.url()).pathname.startsWith('/admin/')) asked.set(id, visited);
    });
    for (const { name } of places) {
      visited = name;
      await page
        .getByRole('navigation', { name: 'Navigation' })
        .getByRole('link', { name: placeNames.en[name], exact: true })
        .click();
      await page.getByRole('heading', { level: 1, name: placeNames.en[name], exact: true }).waitFor();
      await untilQuiet(page);
    }
    const found = dataOf(await client.api.GET('/admin/audit-records', { params: { query: { size: 200 } } }));
    const written = Object.fromEntries(places.map(({ name }) => [name, [] as string[]]));
    for (const { action, extra } of found.data) {
      const place = asked.get(extra.requestId ?? '');
      if (place !== undefined) written[place]!.push(action);
    }
    const others = Object.entries(written).filter(([, actions]) => actions.length > 1);
    expect(Object.fromEntries(others)).toEqual({});
  });
}
