// Writes the reference that is made from the types: `docs/types/NAME.md` of each package, with every exported name. The
// pages are built with the site, and not committed. TypeDoc reads the declaration files of the build with its own
// compiler, since it does not support the version that builds the packages.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Application } from 'typedoc';

const root = fileURLToPath(new URL('../../', import.meta.url));
const target = join(root, 'docs/types');

/** How the type of a table of drizzle begins. */
const TABLE = '`PgTableWithColumns`\\<';

/** @param {string} name a folder of `packages` */
function entriesOf(name) {
  const { exports } = JSON.parse(readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'));
  return Object.entries(exports).flatMap(([path, { types }]) => {
    if (types === undefined) return [];
    const file = posix.join('packages', name, types);
    const page = `${file.replace(/(?:\/index)?\.d\.ts$/, '')}.md`;
    return [{ name, file, page, specifier: `@sallyport/${name}${path.slice(1)}` }];
  });
}

const names = readdirSync(join(root, 'packages'));
const entries = names.flatMap(entriesOf);
const missing = entries.filter(({ file }) => !existsSync(join(root, file)));
if (missing.length > 0) throw new Error(`not built: ${missing.map(({ file }) => file).join(', ')}; run tsc -b`);

const work = join(tmpdir(), `sallyport-types-${process.pid}`);
mkdirSync(work);
try {
  await generate();
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target);
  for (const name of names) writeFileSync(join(target, `${name}.md`), pageOf(name));
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function generate() {
  const tsconfig = join(work, 'tsconfig.json');
  const compilerOptions = { module: 'nodenext', target: 'es2023', strict: true, skipLibCheck: true, types: [] };
  const files = entries.map(({ file }) => join(root, file));
  writeFileSync(tsconfig, JSON.stringify({ compilerOptions: { ...compilerOptions, noEmit: true }, files }));
  const application = await Application.bootstrapWithPlugins({
    plugin: ['typedoc-plugin-markdown'],
    tsconfig,
    entryPoints: files,
    basePath: root,
    out: work,
    ...{ skipErrorChecking: true, validation: false, logLevel: 'Error' },
    ...{ readme: 'none', excludeExternals: true, excludePrivate: true, disableSources: true },
    // The types of tables of drizzle are as long as a book.
    maxTypeConversionDepth: 4,
    ...{ outputFileStrategy: 'modules', entryFileName: 'index', hidePageHeader: true, hideBreadcrumbs: true },
    ...{ parametersFormat: 'table', interfacePropertiesFormat: 'table', typeDeclarationFormat: 'table' },
    ...{ classPropertiesFormat: 'table', propertyMembersFormat: 'table', enumMembersFormat: 'table' },
    expandObjects: false,
  });
  const project = await application.convert();
  if (project === undefined) throw new Error('typedoc read nothing');
  await application.generateOutputs(project);
}

/** The entries of a package, one after the other. Each exported name is a heading. */
function pageOf(name) {
  const parts = entriesOf(name)
    .filter(({ page }) => existsSync(join(work, page)))
    .map(({ page, specifier }) => {
      const [, ...lines] = readFileSync(join(work, page), 'utf8').split('\n');
      const body = lines
        .map(withHeading)
        .map(withoutColumns)
        .join('\n')
        .replaceAll(/<a id="[^"]*"><\/a> /g, '');
      return `## \`${specifier}\`\n${withLinks(body, page)}`;
    });
  const readme = `[@sallyport/${name}](../../packages/${name}/README.md)`;
  const head = `# ${name}: every exported name\n\nMade from the types of ${readme}.`;
  return `---\neditLink: false\n---\n\n${head}\n\n${parts.join('\n')}`;
}

/** One level lower. There are six; what would be lower stands out all the same. */
function withHeading(line) {
  return line.replace(/^(#+) (.+)$/, (_heading, level, text) =>
    level.length < 6 ? `#${level} ${text}` : `**${text}**`,
  );
}

/** The columns of a table of drizzle fill a page, and its definition in the reference says them better. */
function withoutColumns(line) {
  const begin = line.indexOf(TABLE);
  if (begin === -1) return line;
  let end = begin + TABLE.length;
  for (let depth = 1; depth > 0 && end < line.length; end += 1) {
    if (line.startsWith('\\<', end)) depth += 1;
    if (line.startsWith('\\>', end)) depth -= 1;
  }
  const rest = line.slice(end + 1);
  return `${line.slice(0, begin)}\`PgTableWithColumns\`${withoutColumns(rest)}`;
}

/** Links between the entries lead to the pages of their packages. */
function withLinks(text, page) {
  return text.replaceAll(/\]\((?!#|[a-z]+:)([^)#]+\.md)(#[^)]*)?\)/g, (_link, to, anchor = '') => {
    const path = posix.normalize(posix.join(posix.dirname(page), to));
    const [, name] = /^packages\/([^/]+)\//.exec(path) ?? [];
    if (name === undefined) return '](../index.md)';
    const named = anchor.startsWith('#property-') ? '' : anchor;
    return `](${name === page.split('/')[1] && named !== '' ? named : `${name}.md${named}`})`;
  });
}
