import { examples, plugins } from './pages.js';

interface Link {
  text: string;
  link: string;
}

/** What stands above and beside the pages of a language. */
interface Menus {
  nav: Link[];
  sidebar?: { text: string; collapsed?: boolean; items: Link[] }[];
}

const links = (folder: string, names: readonly string[]): Link[] =>
  names.map((name) => ({ text: name, link: `/${folder}/${name}` }));

export const english: Menus = {
  nav: [
    { text: 'Quick start', link: '/quick-start' },
    { text: 'Guides', link: '/guides/existing-app' },
    { text: 'Plugins', link: '/plugins/envelope-crypto' },
    { text: 'Envelope', link: '/envelope-v1' },
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
        { text: 'Encryption for pages and apps', link: '/guides/encryption' },
        { text: 'Behind a proxy', link: '/guides/behind-a-proxy' },
        { text: 'Many nodes', link: '/guides/many-nodes' },
        { text: 'Migrating a database', link: '/guides/migrating-a-database' },
        { text: 'Going to production', link: '/guides/going-to-production' },
        { text: 'Key rotation', link: '/guides/key-rotation' },
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
    { text: 'Plugins', collapsed: true, items: links('plugins', plugins) },
    { text: 'Examples', collapsed: true, items: links('examples', examples) },
    {
      text: 'Reference',
      items: [
        { text: 'Envelope, version 1', link: '/envelope-v1' },
        { text: 'What an attacker gets', link: '/threat-model' },
        { text: 'The interface', link: '/api' },
        { text: 'Benchmarks', link: '/benchmarks' },
        { text: 'Requirements', link: '/requirements' },
        { text: 'Reports upstream', link: '/upstream' },
        { text: 'Security policy', link: '/security' },
        { text: 'Contributing', link: '/contributing' },
      ],
    },
  ],
};

export const chinese: Menus = {
  nav: [{ text: '快速开始', link: '/zh/' }],
};
