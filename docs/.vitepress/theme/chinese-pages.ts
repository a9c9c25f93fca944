import { type Router, withBase } from 'vitepress';
import { data as pages } from './chinese-pages.data.js';

/** Not every page has a Chinese one, and the menu of languages links to it all the same: lead to the Chinese home. */
export function leadToChineseHome(router: Router): void {
  const home = withBase('/zh/');
  router.onBeforeRouteChange = async (to) => {
    const path = new URL(to, 'http://localhost').pathname.replace(/\.html$/, '');
    if (!path.startsWith(home) || pages.includes(path.slice(home.length))) return true;
    await router.go(home);
    return false;
  };
}
