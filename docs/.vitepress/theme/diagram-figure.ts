import { useData } from 'vitepress';
import { defineComponent, h, onMounted, ref, useId, watch } from 'vue';

/** A Mermaid diagram. Its text stands in the page until the drawing is ready, and for readers without scripts. */
export const DiagramFigure = defineComponent({
  props: { source: { type: String, required: true } },
  setup({ source }) {
    const text = decodeURIComponent(source);
    const drawing = ref('');
    const { isDark } = useData();
    const id = `diagram-${useId().replaceAll(/\W/g, '')}`;

    async function draw(): Promise<void> {
      const { default: mermaid } = await import('mermaid');
      mermaid.initialize({ startOnLoad: false, securityLevel: 'strict', theme: isDark.value ? 'dark' : 'neutral' });
      // In the flow of the page the drawing that is measured would make it wider for that time.
      const bench = document.body.appendChild(document.createElement('div'));
      bench.style.cssText = 'position: fixed; inset: 0; overflow: hidden; visibility: hidden';
      try {
        drawing.value = (await mermaid.render(id, text, bench)).svg;
      } finally {
        bench.remove();
      }
    }
    onMounted(() => {
      watch(isDark, draw, { immediate: true });
    });

    return () =>
      drawing.value === ''
        ? h('pre', { class: 'diagram-text' }, text)
        : h('figure', { role: 'img', 'aria-label': text, innerHTML: drawing.value });
  },
});
