import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RouteOptions } from 'fastify';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readRouteAudit } from '../../../../../packages/audit-log/src/route-audit.js';
import { type App, createApp } from '../../../src/app.js';
import { ACTION_TEXTS } from '../../../src/modules/audit-records/action-texts.js';
import { bearer, openTestBench, type TestBench } from '../../support/test-app.js';

/** Where actions are named: the server with its commands, and the packages that record some of their own. */
const SOURCES = [
  '../../../src/',
  '../../../../../packages/audit-log/src/',
  '../../../../../packages/login-policy/src/',
];

/** Texts of the form of an action that are none: settings, kinds of activity, names in examples. */
const OTHERS = new Set([
  'notification.lease-seconds',
  'notification.worker',
  'profile.development',
  'session.end',
  'upload.refused',
  'upload.text-encodings',
]);

const sourcesOf = (folder: string) => {
  const root = fileURLToPath(new URL(folder, import.meta.url));
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.ts') && !path.endsWith('action-texts.ts'))
    .map((path) => readFileSync(root + path, 'utf8'));
};

describe('the catalogue of audit actions', () => {
  let bench: TestBench;
  let app: App;
  const declared = new Set<string>();

  beforeAll(async () => {
    bench = await openTestBench();
    const config = bench.config({});
    app = createApp(config);
    app.addHook('onRoute', ({ method, url, config: routeConfig = {} }: RouteOptions) => {
      const methods = [method].flat();
      const reading = readRouteAudit({ methods, url, config: routeConfig } as never, {
        writes: 'outside',
        decide: () => undefined,
      });
      for (const each of methods) if (reading.decision !== null) declared.add(reading.decision.actionOf(each));
    });
    await bench.compose(app, config);
    await app.ready();
  });
  afterAll(async () => {
    await app.close();
    await bench.close();
  });

  const resources = [...new Set(Object.keys(ACTION_TEXTS).map((action) => action.split('.')[0]))];
  const named = new Set(
    SOURCES.flatMap(sourcesOf)
      .flatMap((source) => source.match(new RegExp(`'(?:${resources.join('|')})[.][a-z][a-z-]*'`, 'g')) ?? [])
      .map((quoted) => quoted.slice(1, -1)),
  );

  it('CON-8 has a text in both languages for every action that a route declares', () => {
    expect(declared.size).toBeGreaterThan(30);
    expect([...declared].filter((action) => ACTION_TEXTS[action] === undefined)).toEqual([]);
  });

  it('CON-8 has one for every action that a command, a job or an event records, and none that nothing records', () => {
    expect([...named].filter((action) => ACTION_TEXTS[action] === undefined && !OTHERS.has(action))).toEqual([]);
    const recorded = new Set([...declared, ...named]);
    expect(Object.keys(ACTION_TEXTS).filter((action) => !recorded.has(action))).toEqual([]);
  });

  it('CON-8 its texts differ from each other, and are in the order of their actions', () => {
    for (const language of ['en', 'zh-CN'] as const) {
      const texts = Object.values(ACTION_TEXTS).map((each) => each[language]);
      expect(new Set(texts).size).toBe(texts.length);
    }
    expect(Object.keys(ACTION_TEXTS)).toEqual(Object.keys(ACTION_TEXTS).toSorted());
  });

  it('CON-8 is answered in both languages, and reading it leaves no record', async () => {
    const headers = await bearer(app);
    const answer = await app.inject({ url: '/admin/audit-records/actions', headers });
    expect(answer.json().data).toEqual(Object.entries(ACTION_TEXTS).map(([action, text]) => ({ action, text })));
    const { data } = (await app.inject({ url: '/admin/audit-records?size=50', headers })).json();
    expect(data.map(({ action }: { action: string }) => action)).not.toContain('audit-record.read');
  });
});
