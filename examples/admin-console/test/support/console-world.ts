import { type ApiClient, createApiClient } from '@sallyport/api-client';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { openBrowser } from '../../../../scripts/test-browser.js';
import type { ServiceProcess } from './service-process.js';

/** The account of a server of development. */
export const ADMIN = { username: 'admin', password: 'sallyport-dev' } as const;

/** What a tab sent, and what it complained of. */
export interface Tab {
  readonly page: Page;
  /** The requests to the service, one text each: method, address, headers, body. */
  readonly sent: string[];
  /** Errors of the page, and violations of its policy. A test expects none. */
  readonly faults: string[];
}

/** The console of a real server, in a real browser. */
export interface ConsoleWorld {
  readonly service: ServiceProcess;
  /** `OFF`, `OPTIONAL` or `REQUIRED`. */
  readonly mode: string;
  /** Of the service and its console, without a slash at its end. */
  readonly origin: string;
  /** A client of the service, signed in as the administrator: for what a scenario needs before it begins. */
  readonly client: ApiClient;
  /** Opens a tab of its own at a path below `/console`. Default: English, 1200 by 800. */
  open(path: string, options?: BrowserContextOptions): Promise<Tab>;
  /** The same, signed in by the form. Default: as the administrator. */
  openSignedIn(
    path: string,
    options?: BrowserContextOptions & { readonly username?: string; readonly password?: string },
  ): Promise<Tab>;
  close(): Promise<void>;
}

export async function openWorld(service: ServiceProcess, mode: string): Promise<ConsoleWorld> {
  const { origin } = service;
  const browser: Browser = await openBrowser();
  const contexts: BrowserContext[] = [];
  const client = createApiClient({ baseUrl: origin });
  await client.signIn(ADMIN);

  async function open(path: string, options: BrowserContextOptions = {}): Promise<Tab> {
    const context = await browser.newContext({
      locale: 'en-US',
      viewport: { width: 1200, height: 800 },
      ...options,
    });
    contexts.push(context);
    const page = await context.newPage();
    const sent: string[] = [];
    const faults: string[] = [];
    page.on('pageerror', (fault) => faults.push(String(fault)));
    page.on('console', (line) => {
      // A refused request is no fault of the page.
      if (line.type() === 'error' && !line.text().startsWith('Failed to load resource')) faults.push(line.text());
    });
    page.on('request', (request) => {
      const headers = Object.entries(request.headers()).map(([name, value]) => `${name}: ${value}`);
      sent.push([`${request.method()} ${request.url()}`, ...headers, request.postData() ?? ''].join('\n'));
    });
    await page.goto(`${origin}/console${path}`);
    return { page, sent, faults };
  }

  return {
    service,
    mode,
    origin,
    client,
    open,
    async openSignedIn(path, { username = ADMIN.username, password = ADMIN.password, ...options } = {}) {
      const tab = await open(path, options);
      const isChinese = options.locale?.startsWith('zh') === true;
      await tab.page.getByLabel(isChinese ? '用户名' : 'Username', { exact: true }).fill(username);
      await tab.page.getByLabel(isChinese ? '密码' : 'Password', { exact: true }).fill(password);
      try {
        await pressUntilSignedIn(
          tab.page.getByRole('button', { name: isChinese ? '登录' : 'Sign in', exact: true }),
          tab.page.getByRole('button', { name: isChinese ? /^用户菜单/ : /^User menu/ }),
        );
      } catch (cause) {
        throw new Error(`not signed in; the page shows: ${await tab.page.textContent('body')}`, { cause });
      }
      return tab;
    },
    async close() {
      await Promise.all(contexts.map((context) => context.close()));
      await browser.close();
    },
  };
}

/** How often a test signs in before it gives up. */
const MAX_SIGN_INS = 10;

/**
 * Presses the button until `signedIn` is shown. The service verifies few passwords at a time: on a busy machine it
 * refuses others for some seconds, and says so.
 */
export async function pressUntilSignedIn(button: Locator, signedIn: Locator): Promise<void> {
  const busy = button.page().getByText(/^(?:Try again in \d+ s\.|请在 \d+ 秒后重试。)$/);
  for (let count = 1; ; count += 1) {
    await button.click();
    // The refusal of the last attempt goes when the next one is sent.
    await busy.waitFor({ state: 'hidden' });
    await signedIn.or(busy).first().waitFor();
    if (!(await busy.isVisible()) || count === MAX_SIGN_INS) break;
    const seconds = Number(/\d+/.exec((await busy.textContent()) ?? '')?.[0] ?? 1);
    await button.page().waitForTimeout(seconds * 1000);
  }
  await signedIn.waitFor();
}
