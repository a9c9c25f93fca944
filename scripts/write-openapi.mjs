// `pnpm run openapi`: writes the OpenAPI document of the reference server, and the types of the typed client from it.
// The document is that of a development server with its defaults.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GENERATED_TYPES, generateTypes } from '../examples/api-client/generate-types.mjs';
import { buildApp } from '../examples/reference-server/src/app.ts';
import { readConfig } from '../examples/reference-server/src/config/config.ts';
import { compactJson } from './compact-json.mjs';

const DOCUMENT = new URL('../examples/reference-server/openapi.json', import.meta.url);

const folder = await mkdtemp(join(tmpdir(), 'sallyport-openapi-'));
try {
  const app = await buildApp(
    readConfig({
      SERVICE_PROFILE: 'development',
      SERVICE_API_DOCS_ENABLED: 'true',
      SERVICE_LOG_LEVEL: 'silent',
      SERVICE_DATA_DIR: folder,
    }),
  );
  const document = (await app.inject('/api-docs/json')).json();
  await app.close();
  const text = `${compactJson(document)}\n`;
  await writeFile(DOCUMENT, text);
  await writeFile(GENERATED_TYPES, await generateTypes(document));
  console.log(`${Buffer.byteLength(JSON.stringify(document))} bytes, ${Buffer.byteLength(text)} in the file`);
} finally {
  await rm(folder, { recursive: true, force: true });
}
