import { describe, expect, test } from 'vitest';
import { licenceFaults, missingComponents, schemaFaults } from '../publishing/bills-of-materials.mjs';

const about = { type: 'library', name: 'mine', version: '1.0.0' };
const billOf = (...components: object[]) => ({
  bomFormat: 'CycloneDX',
  specVersion: '1.7',
  version: 1,
  metadata: { component: about },
  components: components.map((component) => ({ type: 'library', name: 'theirs', version: '2.0.0', ...component })),
});
type Bill = Parameters<typeof licenceFaults>[0];
const faultsOf = (component: object) => licenceFaults(billOf(component) as unknown as Bill);

describe('bills of materials', () => {
  test('PUB-1 a bill that the schema of CycloneDX allows passes, and one with a component of no type does not', async () => {
    expect(await schemaFaults(JSON.stringify(billOf({ licenses: [{ license: { id: 'MIT' } }] })))).toEqual([]);
    const [fault] = await schemaFaults(JSON.stringify(billOf({ type: undefined })));
    expect(fault).toMatch(/required property 'type'/);
  });

  test('PUB-1 names a dependency that is not listed', () => {
    const bill = billOf({ group: '@scope', name: 'listed' }) as unknown as Bill;
    expect(missingComponents(bill, { dependencies: { '@scope/listed': '1', listed: '1' } })).toEqual([
      'does not list listed',
    ]);
    expect(missingComponents(bill, {})).toEqual([]);
  });
});

describe('licences of dependencies', () => {
  test.each([
    ['MIT'],
    ['PostgreSQL'],
    ['(MIT OR GPL-3.0-only)'],
    ['MIT AND (ISC OR AGPL-3.0-only)'],
    ['(GPL-2.0-only OR (MIT AND BSD-3-Clause))'],
  ])('PUB-1 %s passes', (expression) => {
    expect(faultsOf({ licenses: [{ expression }] })).toEqual([]);
  });

  test.each([
    ['GPL-3.0-only'],
    ['MIT AND GPL-3.0-only'],
    ['(MIT OR ISC) AND SSPL-1.0'],
    ['MIT OR'],
    ['(MIT'],
    ['MIT ISC'],
    ['GPL-2.0-only WITH Classpath-exception-2.0'],
    [''],
  ])('PUB-1 %s is refused', (expression) => {
    expect(faultsOf({ licenses: [{ expression }] })).toEqual([`theirs@2.0.0 has the licence ${expression}`]);
  });

  test('PUB-1 a component without a licence, or with one that is only described, is refused', () => {
    expect(faultsOf({})).toEqual(['theirs@2.0.0 has no licence']);
    expect(faultsOf({ licenses: [{ license: { name: 'SEE LICENSE IN x' } }] })).toHaveLength(1);
    expect(faultsOf({ licenses: [{ license: { id: 'MIT' } }, { license: { id: 'AGPL-3.0-only' } }] })).toHaveLength(1);
  });

  test('PUB-1 an exception holds for its package and its licence only', () => {
    const withLicence = (name: string, id: string) => faultsOf({ name, licenses: [{ license: { id } }] });
    expect(withLicence('lightningcss-darwin-arm64', 'MPL-2.0')).toEqual([]);
    expect(withLicence('lightningcss', 'GPL-2.0-only')).toHaveLength(1);
    expect(withLicence('anything', 'MPL-2.0')).toHaveLength(1);
  });
});
