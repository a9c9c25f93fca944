import type { DefaultTheme } from 'vitepress';
import { examples, plugins } from './pages.js';

const links = (folder: string, names: readonly string[]) =>
  names.map((name) => ({ text: name, link: `/${folder}/${name}` }));

export const english: DefaultTheme.Config = {
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
    { text: 'Plugins', collapsed: false, items: links('plugins', plugins) },
    { text: 'Examples', collapsed: true, items: links('examples', examples) },
    {
      text: 'Reference',
      items: [
        { text: 'Envelope, version 1', link: '/envelope-v1' },
        { text: 'What an attacker gets', link: '/threat-model' },
        { text: 'Requirements', link: '/requirements' },
        { text: 'Reports upstream', link: '/upstream' },
        { text: 'Security policy', link: '/security' },
        { text: 'Contributing', link: '/contributing' },
      ],
    },
  ],
};

export const chinese: DefaultTheme.Config = {
  nav: [{ text: '快速开始', link: '/zh/' }],
};
