/** What the figure of the processing order says. */
export const english = {
  figure: 'The processing order of a request',
  refusedAt: (stage: number) => `Refused at ${stage}`,
  by: (plugin: string) => ` by ${plugin} with `,
  or: ' or ',
  stop: '.',
  refusalIs: (treatment: string) => `The refusal is ${treatment}.`,
  notReached: (stages: readonly string[]) => `Not reached, and not paid for: ${stages.join(', ')}.`,
  executed: 'Executed.',
  back: (stages: readonly string[]) => ` On the way back: ${stages.join(', then ')}.`,
  choose: ' Choose a stage to see what a refusal there spares.',
};

export const chinese: typeof english = {
  figure: '一个请求的处理顺序',
  refusedAt: (stage) => `在第 ${stage} 步被拒绝`,
  by: (plugin) => `，由 ${plugin} 以如下响应拒绝：`,
  or: '、',
  stop: '。',
  refusalIs: (treatment) => `这一拒绝${treatment}。`,
  notReached: (stages) => `没有到达、也没有产生开销的阶段：${stages.join('、')}。`,
  executed: '已执行。',
  back: (stages) => `返回途中先${stages.join('，再')}。`,
  choose: '点选一个阶段，看看在那里拒绝能省去什么。',
};
