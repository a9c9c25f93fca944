import type { Theme } from 'vitepress';
import DefaultTheme from 'vitepress/theme';
import ApiOperations from './api-operations.vue';
import { leadToChineseHome } from './chinese-pages.js';
import { DiagramFigure } from './diagram-figure.js';
import EnvelopeTimes from './envelope-times.vue';
import ProcessingOrder from './processing-order.vue';
import './site.css';

export default {
  extends: DefaultTheme,
  enhanceApp({ app, router }) {
    app.component('DiagramFigure', DiagramFigure);
    app.component('ProcessingOrder', ProcessingOrder);
    app.component('ApiOperations', ApiOperations);
    app.component('EnvelopeTimes', EnvelopeTimes);
    leadToChineseHome(router);
  },
} satisfies Theme;
