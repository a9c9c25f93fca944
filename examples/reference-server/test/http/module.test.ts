import { expect, it } from 'vitest';
import { catalogOf, defineModule } from '../../src/http/module.js';

it('refuses what two modules declare', () => {
  const texts = { en: 'Things', 'zh-CN': '事物' };
  const permissions = { title: texts, permissions: { 'api:admin:things:read': texts } };
  const one = defineModule({ name: 'one', permissions, tags: { Things: 'Things.' } });
  expect(catalogOf([one]).permissions).toEqual(['api:admin:things:read']);
  expect(() => catalogOf([one, one])).toThrow('two modules declare one');
  expect(() => catalogOf([one, { ...one, name: 'two' }])).toThrow('two modules declare api:admin:things:read');
  expect(() => catalogOf([one, { ...one, name: 'two', permissions: { title: texts, permissions: {} } }])).toThrow(
    'two modules declare Things',
  );
});
