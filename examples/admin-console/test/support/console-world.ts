import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, createApiClient, RefusedError } from '@sallyport/api-client';
import type { Browser, BrowserContext, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { openBrowser } from '../../../../scripts/test-browser.js';
import { followRequests } from './quiet-page.js';
import type { ServiceProcess } from './service-process.js';

/** How often a tab tries to sign in while the service is busy. */
const MAX_SIGN_INS = 5;

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

interface SignIn {
  readonly username?: string;
  readonly password?: string;
  /** Signs in as a person does. Default: the page finds the token of a session. */
  readonly byForm?: boolean;
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
  /** The same, with the session of an app user or of an administrator, as after a reload. */
  openWithToken(path: string, token: string, options?: BrowserContextOptions): Promise<Tab>;
  /**
   * The same, with a new session. Default: as the administrator. The form of the sign-in takes a third of the time of
   * such a test, so it is used where a test asks for it.
   */
  openSignedIn(path: string, options?: BrowserContextOptions & SignIn): Promise<Tab>;
  /** Closes the tabs that a scenario has opened. */
  closeTabs(): Promise<void>;
  close(): Promise<void>;
}

/** After so many sign-ins of tabs, the client signs in again. */
const SIGN_INS_PER_SESSION = 10;

export async function openWorld(service: ServiceProcess, mode: string): Promise<ConsoleWorld> {
  const { origin } = service;
  const browser: Browser = await openBrowser();
  const contexts: BrowserContext[] = [];
  let signIns = 0;
  const client = createApiClient({ baseUrl: origin });
  await client.signIn(ADMIN);

  async function open(path: string, options: BrowserContextOptions = {}, token: string | null = null): Promise<Tab> {
    const context = await browser.newContext({
      locale: 'en-US',
      viewport: { width: 1200, height: 800 },
      ...options,
    });
    contexts.push(context);
    const page = await context.newPage();
    followRequests(page);
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
    const address = `${origin}/console${path}`;
    if (token === null) await page.goto(address);
    else await visitWithToken(page, address, token);
    return { page, sent, faults };
  }

  async function closeTabs(): Promise<void> {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
  }

  return {
    service,
    mode,
    origin,
    client,
    open: (path, options) => open(path, options),
    openWithToken: (path, token, options) => open(path, options, token),
    async openSignedIn(path, { username = ADMIN.username, password = ADMIN.password, byForm, ...options } = {}) {
      // A user has a limited number of sessions: the newest ones stay.
      signIns += 1;
      if (signIns % SIGN_INS_PER_SESSION === 0) await client.signIn(ADMIN);
      const token = byForm === true ? null : await newSession(origin, { username, password });
      const tab = await open(path, options, token);
      const isChinese = options.locale?.startsWith('zh') === true;
      try {
        if (byForm === true) {
          await tab.page.getByLabel(isChinese ? '用户名' : 'Username', { exact: true }).fill(username);
          await tab.page.getByLabel(isChinese ? '密码' : 'Password', { exact: true }).fill(password);
          await submitSignIn(tab.page, isChinese);
        }
        await tab.page.getByRole('button', { name: isChinese ? /^用户菜单/ : /^User menu/ }).waitFor();
      } catch (cause) {
        throw new Error(`not signed in; the page shows: ${await tab.page.textContent('body')}`, { cause });
      }
      return tab;
    },
    closeTabs,
    async close() {
      await closeTabs();
      await browser.close();
    },
  };
}

/** The token of a new session. A busy machine hashes slowly, and the service asks to try again. */
async function newSession(origin: string, account: { username: string; password: string }): Promise<string> {
  const client = createApiClient({ baseUrl: origin });
  for (let attempt = 1; client.token === null; attempt += 1) {
    try {
      await client.signIn(account);
    } catch (error) {
      if (!(error instanceof RefusedError) || error.problem.status !== 503 || attempt === MAX_SIGN_INS) throw error;
      await sleep(500 * attempt);
    }
  }
  return client.token;
}

/** Opens a page that finds the token where a reload does. A later page of the tab finds what this one has left. */
async function visitWithToken(page: Page, address: string, token: string): Promise<void> {
  const name = /\/console\/app(?:\/|$)/.test(new URL(address).pathname) ? 'sallyport.app-token' : 'sallyport.token';
  const source = `sessionStorage.setItem(${JSON.stringify(name)}, ${JSON.stringify(token)})`;
  const session = await page.context().newCDPSession(page);
  await session.send('Page.enable');
  const { identifier } = await session.send('Page.addScriptToEvaluateOnNewDocument', { source });
  await page.goto(address);
  await session.send('Page.removeScriptToEvaluateOnNewDocument', { identifier });
  await session.detach();
}

/** Sends the sign-in of a page or of a dialog. A busy machine hashes slowly, and the service asks to try again. */
export async function submitSignIn(form: Page | Locator, isChinese = false): Promise<void> {
  const submit = form.getByRole('button', { name: isChinese ? '登录' : 'Sign in', exact: true });
  const busy = form.getByText(isChinese ? '暂时无法校验密码' : 'too busy to check the password');
  for (let attempt = 1; attempt <= MAX_SIGN_INS; attempt += 1) {
    await submit.click();
    // The button stays while it waits for the answer, and goes after a sign-in.
    await Promise.race([busy.waitFor(), submit.waitFor({ state: 'detached' })]);
    if (!(await busy.isVisible())) return;
  }
}
