/** A message of RFC 5424 as a strict receiver reads it. */
export interface ParsedMessage {
  readonly priority: number;
  readonly timestamp: string;
  readonly hostname: string;
  readonly appName: string;
  readonly messageId: string;
  readonly dataId: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly text: string;
}

const HEAD = /^<(\d{1,3})>1 (\S{1,40}) ([!-~]{1,255}) ([!-~]{1,48}) - ([!-~]{1,32}) \[([!-~]{1,32})/;
const PARAMETER = /^ ([!-~]{1,32}?)="((?:[^"\\\]]|\\["\\\]])*)"/s;

/** @throws Error where anything is not as RFC 5424 demands */
export function parseMessage(message: string): ParsedMessage {
  const head = HEAD.exec(message);
  if (head === null) throw new Error(`bad header: ${message.slice(0, 200)}`);
  const [whole, priority, timestamp, hostname, appName, messageId, dataId] = head;
  let rest = message.slice(whole.length);
  const parameters: Record<string, string> = {};
  for (let found = PARAMETER.exec(rest); found !== null; found = PARAMETER.exec(rest)) {
    const [parameter, name = '', value = ''] = found;
    if (name in parameters) throw new Error(`twice: ${name}`);
    parameters[name] = value.replace(/\\(["\\\]])/g, '$1');
    rest = rest.slice(parameter.length);
  }
  if (!rest.startsWith('] ')) throw new Error(`bad structured data: ${rest.slice(0, 200)}`);
  const text = rest.slice(2);
  if (/[^ -~]/.test(text)) throw new Error('MSG is not ASCII');
  return {
    priority: Number(priority),
    timestamp: timestamp!,
    hostname: hostname!,
    appName: appName!,
    messageId: messageId!,
    dataId: dataId!,
    parameters,
    text,
  };
}

/** Takes octet-counted frames apart (RFC 6587, 3.4.1). An incomplete frame at the end is an error. */
export function parseFrames(bytes: Buffer): string[] {
  const messages: string[] = [];
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at);
    const digits = bytes.toString('latin1', at, space);
    if (space === -1 || !/^[1-9]\d{0,9}$/.test(digits)) throw new Error(`bad frame at ${at}`);
    const end = space + 1 + Number(digits);
    if (end > bytes.length) throw new Error(`incomplete frame at ${at}`);
    messages.push(bytes.toString('utf8', space + 1, end));
    at = end;
  }
  return messages;
}
