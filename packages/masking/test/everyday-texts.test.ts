import { describe, expect, it } from 'vitest';
import { maskText } from '../src/index.js';

/** The secret of every line below. */
const S = 'hunTer2x';

/** As logs have them. Each line is masked alone. */
const LINES = String.raw`
10.0.0.1 - anna [21/Nov/2026:16:15:10 +0000] "GET /cb?token=${S} HTTP/1.1" 200 5 "https://h/?access_token=${S}"
curl -u anna:${S} https://h/
curl -uanna:${S} https://h
curl --user 'anna:${S}' https://h
curl -H 'Authorization: Bearer ${S}' https://h
curl -H "X-Api-Key: ${S}" -d '{"a":1}'
curl --data-raw '{"password":"${S}"}'
curl -b 'sid=${S}' https://h
curl -x http://u:${S}@proxy:8080
jdbc:postgresql://h/db?user=a&password=${S}
jdbc:sqlserver://h;user=a;password=${S};encrypt=true
jdbc:oracle:thin:scott/${S}@//h:1521/x
Driver={ODBC};Server=h;Uid=a;Pwd=${S};
DSN=x;PWD={${S}};UID=a
host=h user=a password=${S} dbname=x
PGPASSWORD=${S} psql -h h
postgres://a:${S}@h/db
postgres://a:p/${S}@h/db
postgres://a:p@${S}@h/db
mongodb+srv://a:${S}@c.x.net/?retry=true
redis://:${S}@h:6379/0
https://${S}@github.com/x.git
https://${S}:x-oauth-basic@github.com/x
https://b.s3.amazonaws.com/k?X-Amz-Credential=${S}%2F2026&X-Amz-Signature=${S}
https://a.blob.core.windows.net/c/b?sv=2020&sr=b&sig=${S}%3D&se=2026
https://h/cb?code=${S}&state=x
client_secret=${S}&grant_type=client_credentials
https://h/#/cb?access_token=${S}
https://h/login?next=%252Fcb%253Ftoken%253D${S}
https://h/?u=postgres%3A%2F%2Fa%3A${S}%40h
GET /x;jsessionid=${S}?a=b
export API_KEY=${S}
$env:SECRET_KEY = "${S}"
ENV DB_PASSWORD ${S}
mysql -u root -p${S} db
docker login -u a -p ${S}
sshpass -p ${S} ssh h
redis-cli -a ${S} ping
keytool -storepass ${S} -list
openssl rsa -passin pass:${S}
gpg --passphrase ${S}
password: a b c ${S}
{\"password\":\"${S}\"}
{\\\"password\\\":\\\"${S}\\\"}
"{""password"":""${S}""}"
{"password" : "a\"${S}"}
{"password":"${S}
["password"]=> string(8) "${S}"
[password] => ${S}
a:1:{s:8:"password";s:8:"${S}";}
{Name:a Password:${S} Age:1}
User{name='a', password='${S}'}
**Password:** ${S}
<wsse:Password Type="x#PasswordText">${S}</wsse:Password>
<password><![CDATA[${S}]]></password>
<add key="ApiKey" value="${S}"/>
<key>password</key><string>${S}</string>
<input value="${S}" name="password">
> Authorization: Digest username="a", response="${S}"
< Set-Cookie: sid=${S}; Path=/; HttpOnly
Authorization: AWS4-HMAC-SHA256 Credential=a/b, SignedHeaders=host, Signature=${S}
[ 'authorization', 'Bearer ${S}', 'cookie', 'a=${S}' ]
------b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n${S}\r\n------b--
用户密码：${S}，用户名：a
您的验证码为${S}
口令＝${S}
%E5%AF%86%E7%A0%81=${S}
пароль: ${S}
ALTER USER a WITH PASSWORD '${S}'
CREATE USER a IDENTIFIED BY '${S}'
machine h login a password ${S}
requirepass ${S}
AUTH PLAIN ${S}
\x7B\x22password\x22:\x22${S}\x22\x7D
%257B%2522password%2522%253A%2522${S}%2522%257D
&quot;password&quot;:&quot;${S}&quot;
%70assword=${S}
user%5Bpassword%5D=${S}
AccountName=a;AccountKey=${S}==;EndpointSuffix=x
x:token:${S}
it's password: 'x ${S}'`
  .trim()
  .split('\n');

/** What looks like the end of a value or of an object, and is none. The properties found these. */
LINES.push(
  `https://h/cb#token=)'${S}`,
  `https://h/cb#token='')${S}`,
  `{"value":"aa{${S}","name":"token"}`,
  `{"a":"b",\` {"value":"\`}<${S}","name":"token"}`,
  `<a title="{&quot;value&quot;:&quot;${S}&quot;,&quot;name&quot;:&quot;token&quot;}">b</a>`,
  `%E5%AF%86%E7%A0%81=%26${S}`,
);

/** Keys that show by their form, in two halves so that no scanner takes this file for a leak. */
const KEYS = [
  'sk_' + 'live_4eC39HqLyjWDarjtT1zdp7dc',
  'gh' + 'p_16C7e42F292c6912E7710c838347Ae178B4a',
  'AKIA' + 'IOSFODNN7EXAMPLE',
  'xox' + 'b-123456789012-1234567890123-AbCdEfGhIjKl',
  'gl' + 'pat-ABCDEFGHIJKLMNOPQRST',
  'AIza' + 'SyA-1234567890abcdefghijklmnopqrstu',
  'npm' + '_abcdefghijklmnopqrstuvwxyz0123456789',
  'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
];

/** Texts without a secret, although words of secrets occur in many. */
const HARMLESS = [
  ...['token bucket', 'password policy', '/admin/tokens/list', 'tokens, keys and codes', 'the code of conduct'],
  ...[
    'the password must have 8 characters',
    'Unexpected token < in JSON at position 0',
    'login and password are required',
  ],
  ...[
    'password authentication failed for user "x"',
    'GET /admin/tokens?page=2&size=50',
    'login <user> <password> to go on',
  ],
  ...[
    'api:admin:auth:clearLoginLimit',
    'api:admin:administrators:reset-password',
    'select "a" from "b" where "c" = $1',
  ],
  ...['see https://h:8080/users/a@b.org/x', 'mailto:anna@example.org', 'https://registry.npmjs.org:443/@scope/pkg'],
  ...['ssh://git@github.com/x.git', 'git@github.com:foo/bar.git', 'Error: connect ECONNREFUSED 127.0.0.1:5432'],
  ...['2026-11-21 16:15:10.123 INFO main - started', '/a?page=1&sort=name,asc#top', 'status: 404, message: not found'],
  ...[
    'C:\\new\\reports\\x.txt',
    '\\\\server\\share\\x',
    '100% of 5',
    'R&D: fine',
    'if (a < b && c > d) x = y;',
    '1+1=2',
  ],
  ...[
    '<p class="a">hello</p>',
    'name=anna, value=3',
    '{"name":"colour","value":"red"}',
    '["a","b","c"]',
    'errorCode: E1',
  ],
  ...[
    'monkey=1',
    'keyboard: qwerty',
    'author: Anna',
    'authority=x',
    'passenger: 2',
    'compass: N',
    'pinned: yes',
    'codec=h264',
  ],
  ...['run --verbose --dry', 'name="file"; filename="a.txt"', 'Content-Type: multipart/form-data; boundary=x'],
];

describe('texts as logs have them', () => {
  it.each(LINES)('AUD-10 masks %s', (line) => {
    for (const text of [line, `it's "x: ${line}`, `a=b&c=${encodeURIComponent(line)}`, JSON.stringify([line])])
      expect(maskText(text)).not.toContain(S);
  });

  it.each(KEYS)('AUD-10 masks a key without a name: %s', (key) => {
    for (const text of [key, `got ${key} here`, `/a/${key}/b`, `%22${key}%22`])
      expect(maskText(text)).not.toContain(key.slice(-8));
    expect(maskText(`got "${key}" here`)).toBe('got "[masked]" here');
  });

  it.each(HARMLESS)('AUD-10 leaves %j', (text) => {
    expect(maskText(text)).toBe(text);
  });

  it.each([
    ['a=1&token=hunter2&b=2', 'a=1&token=[masked]&b=2'],
    ['GET /cb?token=hunter2 HTTP/1.1', 'GET /cb?token=[masked] HTTP/1.1'],
    ['{"token":"hunter2","user":"anna"}', '{"token":"[masked]","user":"anna"}'],
    ['postgres://anna:hunter2@h:5432/db', 'postgres://anna:[masked]@h:5432/db'],
    ['?next=%2Fcb%3Ftoken%3Dhunter2%26page%3D2', '?next=%2Fcb%3Ftoken%3D[masked]%26page%3D2'],
    ['user=anna;password=hunter2;port=1', 'user=anna;password=[masked];port=1'],
    ['(token=hunter2).', '(token=[masked]).'],
    ['password: correct horse battery, user: anna', 'password: [masked], user: anna'],
    ['<password>hunter2</password><a/>', '<password>[masked]</password><a/>'],
    ['name="password"\r\n\r\nhunter2\r\n--b', 'name="password"\r\n\r\n[masked]\r\n--b'],
    ['code: 404', 'code: [masked]'],
  ])('AUD-10 masks no more than the value in %j', (text, masked) => {
    expect(maskText(text)).toBe(masked);
  });
});
