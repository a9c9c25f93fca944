import { readFileSync } from 'node:fs';
import { defineLoader } from 'vitepress';

interface Operation {
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  /** Permissions, or what else a caller needs. */
  readonly access: string;
}

interface Group {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

interface Described {
  readonly tags: readonly string[];
  readonly summary: string;
  readonly security?: readonly object[];
  readonly 'x-permission'?: readonly string[];
}

interface OpenApiDocument {
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
}

declare const data: readonly Group[];

export { data };

const file = new URL('../../../examples/reference-server/openapi.json', import.meta.url);

/**
 * The operations of the document in the repository, by their tags. It is not watched: VitePress finds a watched file
 * outside of this folder by walking through the whole repository, with all that is installed.
 */
export default defineLoader({
  load(): readonly Group[] {
    const { tags, paths } = JSON.parse(readFileSync(file, 'utf8')) as OpenApiDocument;
    const all = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
    );
    return tags.map(({ name, description }) => ({
      name,
      description,
      operations: all
        .filter((operation) => operation.tags[0] === name)
        .map(({ method, path, summary, ...described }) => ({ method, path, summary, access: accessOf(described) })),
    }));
  },
});

function accessOf({ security = [], 'x-permission': permissions = [] }: Omit<Described, 'summary'>): string {
  if (security.length === 0) return 'public';
  return permissions.length === 0 ? 'signed in' : permissions.join(', ');
}
