import type { Language } from './language.js';

/**
 * Chinese translations of the messages of parameter definitions. The plugins that define parameters report errors in
 * English. A message that is not listed here stays English.
 */
const sentences: readonly (readonly [english: RegExp, chinese: string])[] = [
  // @sallyport/system-parameters
  [/^must be true or false$/, '须为 true 或 false'],
  [/^must be a whole number from (-?\d+) to (-?\d+)$/, '须为 $1 至 $2 之间的整数'],
  [/^must be a text$/, '须为文本'],
  [/^must have at most (\d+) characters$/, '最多 $1 个字符'],
  [
    /^must not have U\+0000, a lone surrogate, or a byte order mark at its start$/,
    '不得含有 U+0000、不成对的代理字符，且开头不得为字节顺序标记',
  ],
  [
    /^must not hold a private key, or a URL with a password: secrets are never parameters$/,
    '不得含有私钥或带密码的 URL：机密信息不能作为系统参数',
  ],
  [/^must be the version that was read, a whole number$/, '须为读取到的版本号（整数）'],
  // @sallyport/login-policy
  [
    /^A list of IP addresses and CIDR ranges, separated by commas, such as "(.+)"$/,
    '须为以逗号分隔的 IP 地址或 CIDR 网段列表，例如 "$1"',
  ],
  [/^entry (\d+) is neither an IP address nor a CIDR range$/, '第 $1 项既不是 IP 地址也不是 CIDR 网段'],
  [/^entry (\d+) has a prefix length outside 0 to (\d+)$/, '第 $1 项的前缀长度不在 0 至 $2 之间'],
  [/^entry (\d+) is IPv4-mapped with a prefix shorter than \/(\d+)$/, '第 $1 项为 IPv4 映射地址，前缀长度不得小于 $2'],
  [
    /^min-length must not exceed max-length: no password could be chosen$/,
    'min-length 不得大于 max-length，否则无法设置密码',
  ],
  // This server's own
  [/^is required$/, '为必填项'],
  [/^must be kinds, separated by commas, each once: (.+)$/, '须为以逗号分隔且不重复的验证码类型：$1'],
  [
    /^external needs a provider: SERVICE_CAPTCHA_VERIFY_URL is not set$/,
    'external 类型需要验证码服务商：未设置 SERVICE_CAPTCHA_VERIFY_URL',
  ],
  [/^memory-mebibytes must be a power of two$/, 'memory-mebibytes 须为 2 的幂'],
  [/^long-code-length must be more than code-length$/, 'long-code-length 须大于 code-length'],
  [/^idle-seconds must not exceed absolute-seconds$/, 'idle-seconds 不得大于 absolute-seconds'],
  [/^(bom|separator) is for format=csv only$/, '$1 仅适用于 format=csv'],
  [/^has to be the next of an earlier page$/, '须为前一页返回的 next'],
  [/^is for scope=all only$/, '仅适用于 scope=all'],
  [/^is for scope=subject only, user is for scope=all$/, '仅适用于 scope=subject，scope=all 时请使用 user'],
  [/^With it you could not sign in from your own address$/, '修改后您将无法从当前 IP 地址登录'],
];

/** Translates the detail of a refused change: one message, or several separated by semicolons. */
export function parameterDetail(detail: string, language: Language): string {
  if (language === 'en') return detail;
  return detail.split('; ').map(inChinese).join('；');
}

function inChinese(sentence: string): string {
  const [english, chinese] = sentences.find(([pattern]) => pattern.test(sentence)) ?? [];
  return english === undefined || chinese === undefined ? sentence : sentence.replace(english, chinese);
}
