import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { places } from '../src/places/places.js';
import { type ActivityKind, logPathOf } from '../src/places/watch/activity.js';
import { neighbourOf } from '../src/places/watch/neighbour.js';
import { texts } from '../src/places/watch/texts.js';

const SERVER = fileURLToPath(new URL('../../reference-server/src/', import.meta.url));

const sources = readdirSync(SERVER, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(`${SERVER}${path}`, 'utf8'));

it('CON-6 each kind of event leads into the audit log with its filters, but for floods, which it does not keep', () => {
  const kinds = Object.keys(texts.en.kinds) as ActivityKind[];
  const paths = kinds.map((kind) => [kind, logPathOf(kind, 0, 60_000)] as const);
  expect(paths.filter(([, path]) => path === null)).toEqual([['flood.refused', null]]);
  const recorded = /'(?:auth|file|second-factor)\.[a-z-]+'/;
  for (const [, path] of paths.filter(([, found]) => found !== null)) {
    const query = new URL(`http://console${path}`).searchParams;
    expect([query.get('from'), query.get('to')]).toEqual(['1970-01-01T00:00:00.000Z', '1970-01-01T00:01:00.000Z']);
    for (const action of query.get('action')?.split(',') ?? []) {
      expect(`'${action}'`).toMatch(recorded);
      expect(sources.some((text) => text.includes(`'${action}'`))).toBe(true);
    }
  }
});

it('CON-6 a bar of failed sign-ins or of locks shows those of the second step as well', () => {
  const actionsOf = (kind: ActivityKind) => new URL(`http://console${logPathOf(kind, 0)}`).searchParams.get('action');
  expect(actionsOf('sign-in.failure')).toBe('auth.login,auth.second-factor');
  expect(actionsOf('sign-in.lock')).toBe('auth.lock,second-factor.lock');
});

it('CON-7 every list that a permission opens has a place', () => {
  const lists = new Set(sources.flatMap((text) => text.match(/'api:admin:[a-z-]+:list'/g) ?? []));
  const opened = new Set(places.flatMap(({ permissions }) => permissions.map((code) => `'${code}'`)));
  expect(lists.size).toBeGreaterThan(6);
  // Everybody has the place of sessions, and those of others need the permission there.
  const missing = [...lists].filter((code) => !opened.has(code) && code !== "'api:admin:sessions:list'");
  expect(missing).toEqual([]);
});

it('CON-6 arrow keys, Home and End go from bar to bar, and no further than the last one', () => {
  const bars = [10, 20, 40];
  const keys = [
    [20, 'ArrowRight', 40],
    [20, 'ArrowLeft', 10],
    [40, 'Home', 10],
    [10, 'End', 40],
    [40, 'ArrowRight', undefined],
    [10, 'ArrowLeft', undefined],
    [20, 'a', undefined],
  ] as const;
  for (const [current, key, next] of keys) expect(neighbourOf(bars, current, key)).toBe(next);
});
