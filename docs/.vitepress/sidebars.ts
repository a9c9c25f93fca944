import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { referencePagesOf, titleOf } from '../../scripts/package-pages.mjs';
import { examples, pageOf, plugins, REPOSITORY_URL, repository } from './pages.js';

interface Link {
  text: string;
  link: string;
  /** Links below it. */
  items?: Link[];
  collapsed?: boolean;
}

/** The navigation bar and the sidebar of each language. */
interface Menus {
  nav: Link[];
  sidebar?: { text: string; collapsed?: boolean; items: Link[] }[];
}

const versionOf = (plugin: string): string => {
  const manifest = readFileSync(join(repository, 'packages', plugin, 'package.json'), 'utf8');
  return (JSON.parse(manifest) as { version: string }).version;
};

/** The newest version of a package that these pages describe. */
const [newest = ''] = plugins.map(versionOf).sort((one, other) => other.localeCompare(one, 'en', { numeric: true }));
const VERSION: Link = { text: `v${newest}`, link: `${REPOSITORY_URL}/releases` };

const links = (folder: string, names: readonly string[]): Link[] =>
  names.map((name) => ({ text: name, link: `/${folder}/${name}` }));

/** The address of a page, from its file. */
const addressOf = (file: string): string => `/${pageOf(file)?.replace(/\.md$/, '')}`;

/** The pages of a plugin's reference. */
const references = (plugin: string): Link[] =>
  referencePagesOf(plugin).map((path) => ({ text: titleOf(path), link: addressOf(path) }));

/** The same in Chinese, where there is a translation. */
const chineseReferences = (plugin: string): Link[] =>
  referencePagesOf(plugin).map((path) => {
    const translation = path.replace('docs/', 'docs/zh/');
    if (!existsSync(join(repository, translation))) return { text: `${titleOf(path)}（英文）`, link: addressOf(path) };
    const [, text = ''] = /^# (.+)$/m.exec(readFileSync(join(repository, translation), 'utf8')) ?? [];
    return { text, link: addressOf(translation) };
  });

/** A plugin, with its reference below it. */
function withReference(plugin: Link, reference: Link[]): Link {
  return reference.length === 0 ? plugin : { ...plugin, collapsed: true, items: reference };
}

export const english: Menus = {
  nav: [
    { text: 'Quick start', link: '/quick-start' },
    { text: 'Guides', link: '/guides/existing-app' },
    { text: 'Plugins', link: '/plugins/envelope-crypto' },
    { text: 'Envelope', link: '/envelope-v1' },
    VERSION,
  ],
  sidebar: [
    {
      text: 'Begin',
      items: [
        { text: 'What it is', link: '/' },
        { text: 'Quick start', link: '/quick-start' },
        { text: 'Processing order', link: '/processing-order' },
      ],
    },
    {
      text: 'Guides',
      items: [
        { text: 'In an existing app', link: '/guides/existing-app' },
        { text: 'With other plugins', link: '/guides/neighbours' },
        { text: 'Encryption for pages and apps', link: '/guides/encryption' },
        { text: 'Behind a proxy', link: '/guides/behind-a-proxy' },
        { text: 'Many nodes', link: '/guides/many-nodes' },
        { text: 'Drivers and poolers', link: '/guides/drivers-and-poolers' },
        { text: 'Migrating a database', link: '/guides/migrating-a-database' },
        { text: 'Going to production', link: '/guides/going-to-production' },
        { text: 'Key rotation', link: '/guides/key-rotation' },
        { text: 'Observability', link: '/guides/observability' },
        { text: 'Testing', link: '/guides/testing' },
      ],
    },
    {
      text: 'Coming from',
      items: [
        { text: '@fastify/jwt', link: '/coming-from/fastify-jwt' },
        { text: '@fastify/rate-limit', link: '/coming-from/rate-limit' },
        { text: 'Idempotency middlewares', link: '/coming-from/idempotency-middleware' },
        { text: 'RuoYi-Vue-Plus', link: '/coming-from/ruoyi-vue-plus' },
        { text: 'Spring', link: '/coming-from/spring' },
      ],
    },
    {
      text: 'Plugins',
      collapsed: true,
      items: links('plugins', plugins).map((link) => withReference(link, references(link.text))),
    },
    { text: 'Every exported name', collapsed: true, items: links('types', plugins) },
    { text: 'Examples', collapsed: true, items: links('examples', examples) },
    {
      text: 'Reference',
      items: [
        { text: 'Envelope, version 1', link: '/envelope-v1' },
        { text: 'What an attacker gets', link: '/threat-model' },
        { text: 'ASVS 5.0, item by item', link: '/asvs' },
        { text: 'The interface', link: '/api' },
        { text: 'Benchmarks', link: '/benchmarks' },
        { text: 'Capacity', link: '/capacity' },
        { text: 'Requirements', link: '/requirements' },
        { text: 'Reports upstream', link: '/upstream' },
        { text: 'Security policy', link: '/security' },
        { text: 'Contributing', link: '/contributing' },
      ],
    },
  ],
};

/** What each plugin is, shown next to its name. */
const CHINESE_NAMES: Readonly<Record<string, string>> = {
  'audit-log': '审计日志',
  'auth-tokens': '令牌与会话',
  captcha: '验证码',
  'client-ip': '客户端 IP',
  'envelope-crypto': '加密信封',
  idempotency: '幂等',
  'login-policy': '登录策略',
  masking: '脱敏',
  'one-time-codes': '一次性验证码',
  'password-hashing': '口令哈希',
  'plugin-kit': '插件底座',
  'replay-guard': '防重放',
  'second-factor': '第二因素',
  'system-parameters': '系统参数',
  'ttl-store': '过期存储',
  'upload-policy': '上传策略',
};

export const chinese: Menus = {
  nav: [
    { text: '快速开始', link: '/zh/quick-start' },
    { text: '插件', link: '/zh/plugins/envelope-crypto' },
    { text: '信封协议', link: '/zh/envelope-v1' },
    { text: '上线', link: '/zh/guides/going-to-production' },
    VERSION,
  ],
  sidebar: [
    {
      text: '开始',
      items: [
        { text: '这是什么', link: '/zh/' },
        { text: '快速开始', link: '/zh/quick-start' },
        { text: '处理顺序', link: '/zh/processing-order' },
        { text: '上线', link: '/zh/guides/going-to-production' },
      ],
    },
    {
      text: '插件',
      collapsed: false,
      items: plugins.map((name) =>
        withReference(
          { text: [CHINESE_NAMES[name], name].join(' '), link: `/zh/plugins/${name}` },
          chineseReferences(name),
        ),
      ),
    },
    {
      text: '参考',
      items: [
        { text: '信封协议，第 1 版', link: '/zh/envelope-v1' },
        { text: '预检与验收', link: '/zh/guides/preflight-and-acceptance' },
        { text: '驱动与连接池', link: '/zh/guides/drivers-and-poolers' },
        { text: '攻击者能得到什么（英文）', link: '/threat-model' },
        { text: '需求（英文）', link: '/requirements' },
        { text: '安全策略（英文）', link: '/security' },
      ],
    },
  ],
};
