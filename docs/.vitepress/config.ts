import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { defineConfig, type MarkdownEnv, type MarkdownOptions, type UserConfig } from 'vitepress';
import { anchorOf } from './anchors.js';
import { searchTexts, themeTexts } from './chinese-texts.js';
import { writeTextsForModels } from './llms.js';
import { linkOf, pageOf, REPOSITORY_URL, repository } from './pages.js';
import { searchTerms } from './search-terms.js';
import { searchWords } from './search-words.js';
import { chinese, english } from './sidebars.js';

type Plugin = Extract<NonNullable<NonNullable<UserConfig['vite']>['plugins']>[number], { name: string }>;
type MarkdownIt = Parameters<NonNullable<MarkdownOptions['config']>>[0];

/** Links of READMEs lead to pages of the site. */
function repositoryLinks(md: MarkdownIt): void {
  md.core.ruler.push('repository-links', (state) => {
    const { realPath, path } = state.env as { realPath?: string; path: string };
    for (const token of state.tokens.flatMap(({ children }) => children ?? [])) {
      const href = token.type === 'link_open' ? token.attrGet('href') : null;
      if (href !== null) token.attrSet('href', linkOf(href, realPath ?? path));
    }
  });
}

/** The page of a plugin leads to the page that is made from its types. GitHub and npm do not have that. */
function linksToTypes(md: MarkdownIt): void {
  md.core.ruler.before('normalize', 'links-to-types', (state) => {
    const { realPath, path } = state.env as { realPath?: string; path: string };
    const [, name] = /packages\/([^/]+)\/README\.md$/.exec(realPath ?? path) ?? [];
    if (name === undefined) return;
    const link = `- [Every exported name, from the types](/types/${name})`;
    const list = /(\n## Reference\n\n(?:- .*\n)*)/;
    state.src = list.test(state.src)
      ? state.src.replace(list, `$1${link}\n`)
      : state.src.replace('\n## Licence\n', `\n## Reference\n\n${link}\n\n## Licence\n`);
  });
}

/**
 * Diagrams are drawn in the page, by a part of the script that only their pages load. A block that is saved to a file,
 * or that belongs to another terminal, says so above it, unless the text before it does.
 */
function blocks(md: MarkdownIt): void {
  const fence = md.renderer.rules.fence;
  md.renderer.rules.fence = (tokens, index, options, env, self) => {
    const token = tokens[index];
    if (token?.info.trim() === 'mermaid') return `<DiagramFigure source="${encodeURIComponent(token.content)}" />`;
    const code = fence?.(tokens, index, options, env, self) ?? '';
    const title = titleOf(token?.info ?? '');
    const before = tokens.slice(0, index).findLast(({ type }) => type === 'inline')?.content ?? '';
    return title === '' || before.includes(title)
      ? code
      : `<p class="block-title">${md.utils.escapeHtml(title)}</p>${code}`;
  };
}

/** The second word after the fence: the name of a file or of a terminal. */
function titleOf(info: string): string {
  const [, name = ''] = info.trim().split(/\s+/);
  const terminals: Record<string, string> = { server: 'second terminal', 'server-2': 'third terminal' };
  return terminals[name] ?? (/^[\w./-]+$/.test(name) ? name : '');
}

/** Pages lie outside this folder, where Node.js would not find its packages. */
const packagesOfThisFolder: Plugin = {
  name: 'packages-of-this-folder',
  enforce: 'pre',
  resolveId(id, importer, options) {
    if (!/^vue(\/|$)/.test(id) || !importer?.replace(/\?.*$/, '').endsWith('.md')) return null;
    return this.resolve(id, join(repository, 'docs/.vitepress/config.ts'), { ...options, skipSelf: true });
  },
};

/** Without the colors of code, which take most of the time: the search reads the text alone. */
function renderPlain(source: string, env: MarkdownEnv, md: MarkdownIt): string {
  const { highlight } = md.options;
  const escaped = (code: string) => code.replaceAll('&', '&#x26;').replaceAll('<', '&#x3C;');
  md.set({ highlight: (code) => `<pre><code>${escaped(code)}</code></pre>` });
  try {
    return md.render(source, env);
  } finally {
    md.set({ highlight });
  }
}

/** The text of a page, and each word by which people look for it as a section of its own. */
function renderForSearch(source: string, env: MarkdownEnv, md: MarkdownIt): string {
  const html = renderPlain(source, env, md);
  if (env.frontmatter?.search === false) return '';
  // Of what is made from the types, the names are found. Its texts stand in other pages, too.
  if (pageOf(env.relativePath)?.startsWith('types/')) return html.match(/<h4.*?<\/h4>/gs)?.join('') ?? '';
  const words = searchWords[pageOf(env.relativePath) ?? ''] ?? [];
  const sections = words.map((word, index) => `<h2>${word} <a href="#search-${index}"></a></h2><p>${word}</p>`);
  return html + sections.join('');
}

const EDIT_PATTERN = `${REPOSITORY_URL}/edit/main/:path`;

const DESCRIPTION = 'Application-layer security for Fastify: tokens, envelopes, replay, idempotency, policies, audit.';

const icon = readFileSync(join(repository, 'examples/admin-console/public/icon.svg'));

export default defineConfig({
  srcDir: '..',
  srcExclude: [
    'README*.md',
    '.changeset/**',
    '.github/**',
    '**/CHANGELOG.md',
    '**/{.build,.data,dist,coverage}/**',
    'packages/**/!(README).md',
    'examples/**/!(README).md',
    'packages/*/*/**',
    'examples/*/*/**',
    'scripts/**',
    'CODE_OF_CONDUCT.md',
    'SUPPORT.md',
  ],
  outDir: join(repository, 'docs/dist'),
  rewrites: (file) => pageOf(file) ?? file,
  lang: 'en',
  title: 'Sallyport',
  description: DESCRIPTION,
  head: [['link', { rel: 'icon', href: `data:image/svg+xml;base64,${icon.toString('base64')}` }]],
  lastUpdated: false,
  // The address at which the site is served. Without it there is no site map.
  ...(process.env.SITE_URL !== undefined && { sitemap: { hostname: process.env.SITE_URL } }),
  buildEnd({ pages, outDir }) {
    writeTextsForModels(pages, outDir, { title: 'Sallyport', says: DESCRIPTION });
  },
  vite: {
    plugins: [packagesOfThisFolder],
    publicDir: join(repository, 'docs/public'),
    build: { chunkSizeWarningLimit: 2000 },
  },
  markdown: {
    anchor: { slugify: anchorOf },
    config(md) {
      md.use(linksToTypes);
      md.use(repositoryLinks);
      md.use(blocks);
    },
  },
  locales: {
    root: { label: 'English', lang: 'en', themeConfig: english },
    zh: {
      label: '简体中文',
      lang: 'zh-CN',
      description: 'Fastify 应用层安全：令牌、加密信封、防重放、幂等、登录策略、审计日志，支持国密 SM2、SM3、SM4。',
      themeConfig: { ...chinese, ...themeTexts, editLink: { pattern: EDIT_PATTERN, text: '编辑此页' } },
    },
  },
  themeConfig: {
    search: {
      provider: 'local',
      options: {
        _render: renderForSearch,
        miniSearch: { options: { tokenize: searchTerms } },
        locales: { zh: { translations: searchTexts } },
      },
    },
    editLink: { pattern: EDIT_PATTERN, text: 'Edit this page' },
    socialLinks: [{ icon: 'github', link: REPOSITORY_URL }],
  },
});
