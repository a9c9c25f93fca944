import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { leadToChineseHome } from './chinese-pages.js';
import { DiagramFigure } from './diagram-figure.js';

export default {
  extends: DefaultTheme,
  enhanceApp({ app, router }) {
    app.component('DiagramFigure', DiagramFigure);
    leadToChineseHome(router);
  },
} satisfies Theme;
