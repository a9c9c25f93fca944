import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { GENERATED_TYPES, generateTypes } from '../generate-types.mjs';

it('API-3 the types are those of the document: run `pnpm run openapi` if this fails', async () => {
  const document = new URL('../../reference-server/openapi.json', import.meta.url);
  const types = await generateTypes(JSON.parse(await readFile(document, 'utf8')));
  expect(await readFile(GENERATED_TYPES, 'utf8')).toBe(types);
});

it('API-3 the program of the README is one that compiles', async () => {
  const [readme, program] = await Promise.all(
    ['../README.md', './first-payment.ts'].map((name) => readFile(new URL(name, import.meta.url), 'utf8')),
  );
  expect(readme).toContain(`\`\`\`ts\n${program}\`\`\``);
});

it('API-3 the program that calls every operation has no cast, and silences no error', async () => {
  const source = await readFile(new URL('./every-operation.ts', import.meta.url), 'utf8');
  const program = source.replaceAll(
    /\/\*\*.*?\*\/|\/\/.*$/gms,
    (comment) => comment.match(/@ts-|biome-ignore/)?.[0] ?? '',
  );
  const casts = program.match(/\bas (?!const\b).*|\bany\b|@ts-|biome-ignore|[\w)\]]![.;,)[]|<\w+>\w/g);
  expect(casts).toBeNull();
});
