import { expect, it } from 'vitest';
import { catalogOf, defineModule } from '../../src/http/module.js';

it('refuses what two modules declare', () => {
  const one = defineModule({ name: 'one', permissions: ['api:admin:things:read'], tags: { Things: 'Things.' } });
  expect(catalogOf([one]).permissions).toEqual(['api:admin:things:read']);
  expect(() => catalogOf([one, one])).toThrow('two modules declare one');
  expect(() => catalogOf([one, { ...one, name: 'two' }])).toThrow('two modules declare api:admin:things:read');
  expect(() => catalogOf([one, { ...one, name: 'two', permissions: [] }])).toThrow('two modules declare Things');
});
