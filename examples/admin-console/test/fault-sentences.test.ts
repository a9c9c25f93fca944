import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { fieldLabels } from '../src/feedback/field-labels.js';
import { withLabels } from '../src/places/parameters/parameter-names.js';

/** What a page sends by itself, or a program: nobody types it. */
const UNSEEN = [
  ...[
    'after',
    'bom',
    'confirm',
    'credential',
    'deviceToken',
    'for',
    'format',
    'handle',
    'id',
    'key',
    'kind',
    'page',
    'proof',
  ],
  ...['purpose', 'reads', 'resource', 'scope', 'separator', 'size', 'version'],
];

interface Schema {
  readonly $ref?: string;
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}
interface Operation {
  readonly parameters?: readonly { readonly $ref?: string; readonly in?: string; readonly name?: string }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

it('CON-9 every field that a person can send has a label in both languages, so that no pointer is shown', () => {
  const file = new URL('../../reference-server/openapi.json', import.meta.url);
  const { paths, components } = JSON.parse(readFileSync(file, 'utf8'));
  const resolve = <Part extends { readonly $ref?: string }>(part: Part): Part => {
    const [, , kind = '', name = ''] = part.$ref?.split('/') ?? [];
    return part.$ref === undefined ? part : components[kind][name];
  };
  const namesOf = (schema: Schema): string[] => {
    const { properties = {}, allOf = [], anyOf = [], oneOf = [] } = resolve(schema);
    return [...Object.keys(properties), ...[...allOf, ...anyOf, ...oneOf].flatMap(namesOf)];
  };
  const operations = Object.entries<Readonly<Record<string, Operation>>>(paths).flatMap(([path, methods]) =>
    /^\/(?:admin|app|auth)\//.test(path) ? Object.values(methods) : [],
  );
  const names = operations.flatMap(({ parameters = [], requestBody }) => [
    ...parameters.map(resolve).flatMap((each) => (each.in === 'query' && each.name !== undefined ? [each.name] : [])),
    ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) => namesOf(schema)),
  ]);
  const seen = [...new Set(names)].filter((name) => !UNSEEN.includes(name)).toSorted();
  expect(Object.keys(fieldLabels.en).toSorted()).toEqual(seen);
  expect(Object.keys(fieldLabels['zh-CN']).toSorted()).toEqual(seen);
});

it('CON-9 a rule over several parameters names them by their labels', () => {
  const parameters = [
    { key: 'admin.auth.password.min-length', texts: { en: 'Shortest password', 'zh-CN': '密码最短长度' } },
    { key: 'admin.auth.password.max-length', texts: { en: 'Longest password', 'zh-CN': '密码最长长度' } },
    { key: 'app.max-length', texts: { en: 'Of another group', 'zh-CN': '其他' } },
  ] as const;
  const key = parameters[0];
  expect(withLabels('min-length must not exceed max-length: no well-known', key, parameters, 'en')).toBe(
    '“Shortest password” must not exceed “Longest password”: no well-known',
  );
  expect(withLabels('min-length 不得大于 max-length', key, parameters, 'zh-CN')).toBe(
    '「密码最短长度」不得大于「密码最长长度」',
  );
});
