// A loader of modules: writes a note of the call at the head of every function of the repository's built files.
// Constructors and dependencies have none.
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAst } from 'vite';

const root = fileURLToPath(new URL('../../', import.meta.url));
const BUILT = /^(?<folder>(?:packages|examples)\/[^/]+)\/dist\/(?<file>.+)\.[cm]?js$/;
const FUNCTION = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;

export async function load(url, context, next) {
  const loaded = await next(url, context);
  if (loaded.format !== 'module' || !url.startsWith('file:')) return loaded;
  const place = BUILT.exec(relative(root, fileURLToPath(url)));
  if (place === null) return loaded;
  const { folder, file } = place.groups;
  return { ...loaded, source: withNotes(`${loaded.source}`, [nameOf(folder), dirname(file), file]) };
}

function nameOf(folder) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')).name.replace('@sallyport/', '');
}

function withNotes(text, place) {
  const insertions = [];
  const visit = (node, parent) => {
    if (FUNCTION.test(node.type) && node.body && parent?.kind !== 'constructor') {
      const named = node.id ?? parent?.key ?? parent?.id ?? parent?.left;
      const name = named?.name ?? named?.value ?? named?.property?.name ?? '(nameless)';
      const note = `globalThis.noteCall?.(${[...place, name].map((part) => JSON.stringify(part)).join()})`;
      const { type, start, end } = node.body;
      if (type === 'BlockStatement') insertions.push([start + 1, `${note};`]);
      else insertions.push([start, `(${note},`], [end, ')']);
    }
    for (const child of Object.values(node).flat()) if (typeof child?.type === 'string') visit(child, node);
  };
  visit(parseAst(text));
  let result = '';
  let done = 0;
  for (const [position, inserted] of insertions.sort(([one], [other]) => one - other)) {
    result += text.slice(done, position) + inserted;
    done = position;
  }
  return result + text.slice(done);
}
