import { createHash } from 'node:crypto';
import type { Language } from '../../http/language.js';
import type { BuildState } from './build-state.js';
import { textPolicy } from './page-policy.js';

/** Builds the console, in the root of the repository. */
const BUILD_COMMAND = 'node examples/admin-console/build.mjs';

type Texts = Readonly<Record<Language, string>>;

const COMMAND = `<code>${BUILD_COMMAND}</code>`;

const TEXTS: Readonly<Record<BuildState, Texts>> = {
  building: {
    en: 'The console is being built. It takes some seconds, once. This page reloads itself.',
    'zh-CN': '控制台正在构建，只需一次，几秒钟即可完成。本页面会自动刷新。',
  },
  failed: {
    en: `The console could not be built. This command, in the root of the repository, tries again and says why: ${COMMAND}`,
    'zh-CN': `控制台构建失败。请在代码库根目录运行以下命令重试并查看原因：${COMMAND}`,
  },
  missing: {
    en: `The console is not built. This command, in the root of the repository, builds it: ${COMMAND}`,
    'zh-CN': `控制台尚未构建。请在代码库根目录运行以下命令：${COMMAND}`,
  },
};

/** The time after which the page reloads itself, in seconds. */
const RELOAD_SECONDS: Readonly<Record<BuildState, number>> = { building: 2, failed: 10, missing: 10 };

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;margin:2rem auto;max-width:40rem;padding:0 1rem}';

export const ABSENT_PAGE_POLICY = textPolicy(createHash('sha256').update(STYLE).digest('base64'));

/** The page that is shown if the console is not built, in both languages. It reloads itself without a script. */
export function absentPage(state: BuildState): { readonly html: string; readonly reloadSeconds: number } {
  const paragraphs = Object.entries(TEXTS[state]).map(([language, text]) => `<p lang="${language}">${text}</p>`);
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Sallyport</title><style>${STYLE}</style>`;
  return {
    html: `<!doctype html><html lang="en"><head>${head}</head><body><h1>Sallyport</h1>${paragraphs.join('')}</body></html>\n`,
    reloadSeconds: RELOAD_SECONDS[state],
  };
}
