import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import { DiagramFigure } from './diagram-figure.js';

export default {
  extends: DefaultTheme,
  enhanceApp({ app }) {
    app.component('DiagramFigure', DiagramFigure);
  },
} satisfies Theme;
