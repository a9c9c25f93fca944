import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

/** Where the types are kept. */
export const GENERATED_TYPES = new URL('./src/schema.generated.ts', import.meta.url);

/** The header that every operation has which can be sealed. */
const SEALABLE = '#/components/parameters/Api-Encryption';

const BLOB = ts.factory.createTypeReferenceNode('Blob');

/**
 * The types of an OpenAPI document, and the routes that are never sealed, as a TypeScript module.
 *
 * @param {{ paths: Record<string, Record<string, { parameters: { $ref?: string }[] }>> }} document
 * @returns {Promise<string>}
 */
export async function generateTypes(document) {
  const types = await openapiTS(JSON.parse(JSON.stringify(document, withoutExamples)), {
    // A body may leave out what has a default.
    defaultNonNullable: false,
    // The content of files.
    transform: ({ contentMediaType }) => (contentMediaType === undefined ? undefined : BLOB),
  });
  return [
    '// Generated from the OpenAPI document of the reference server by `pnpm run openapi`.',
    astToString(types),
    '/** The routes that are sent in the clear in every encryption mode. */',
    `export const UNSEALED_ROUTES: readonly string[] = ${JSON.stringify(unsealedRoutes(document), null, 2)};`,
    '',
  ].join('\n');
}

/** Examples would be comments of the types, and half of the file. */
function withoutExamples(name, value) {
  return name === 'example' ? undefined : value;
}

function unsealedRoutes({ paths }) {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, { parameters }]) => !parameters.some(({ $ref }) => $ref === SEALABLE))
      .map(([method]) => `${path.replaceAll(/\{(\w+)\}/g, ':$1')} ${method.toUpperCase()}`),
  );
}
